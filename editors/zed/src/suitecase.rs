//! Starts Suitecase's language server for Zed.

use zed_extension_api::settings::LspSettings;
use zed_extension_api::{self as zed, serde_json, LanguageServerId, Result, Worktree};

const NAME: &str = "suitecase";

struct Suitecase;

impl zed::Extension for Suitecase {
    fn new() -> Self {
        Self
    }

    fn language_server_command(
        &mut self,
        _server: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<zed::Command> {
        let configured = LspSettings::for_worktree(NAME, worktree)?.binary;
        let path = configured.as_ref().and_then(|it| it.path.clone());
        let arguments = configured.and_then(|it| it.arguments);
        let command = path.or_else(|| worktree.which(NAME)).ok_or(
            "`suitecase` is not on the PATH. Install it with `pip install suitecase`, or say in \
             the settings where it is, as `lsp.suitecase.binary.path`.",
        )?;
        Ok(zed::Command {
            command,
            args: arguments.unwrap_or_else(|| vec!["lsp".into()]),
            env: worktree.shell_env(),
        })
    }

    fn language_server_initialization_options(
        &mut self,
        _server: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<serde_json::Value>> {
        Ok(LspSettings::for_worktree(NAME, worktree)?.initialization_options)
    }

    fn language_server_workspace_configuration(
        &mut self,
        _server: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<serde_json::Value>> {
        let settings = LspSettings::for_worktree(NAME, worktree)?.settings;
        Ok(settings.map(|it| serde_json::json!({ NAME: it })))
    }
}

zed::register_extension!(Suitecase);
