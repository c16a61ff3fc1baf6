-- The configuration of Suitecase's language server, for Neovim 0.11 or newer.
-- With the plugin on the runtime path, `vim.lsp.enable('suitecase')` switches it on.

---@type vim.lsp.Config
return {
  cmd = { 'suitecase', 'lsp' },
  -- Suites are YAML and their data sets JSON Lines, prompts of judges Markdown or text, labels of people
  -- CSV or JSON.
  filetypes = { 'yaml', 'jsonl', 'markdown', 'text', 'csv', 'tsv', 'json' },
  root_dir = function(buffer, start)
    require('suitecase.workspaces').root_dir(buffer, start)
  end,
  before_init = function(params, config)
    params.initializationOptions = require('suitecase').initialization(params.initializationOptions, config.root_dir)
  end,
  handlers = {
    ['suitecase/resultsChanged'] = function(_, result, context)
      require('suitecase').results_changed(result, context.client_id)
    end,
    ['suitecase/testState'] = function(_, result, context)
      require('suitecase').state_changed(result, context.client_id)
    end,
  },
}
