-- The configuration of Suitecase's language server, for Neovim 0.11 or newer.
-- With this folder's parent on the runtime path, `vim.lsp.enable('suitecase')` switches it on.

---@type vim.lsp.Config
return {
  cmd = { 'suitecase', 'lsp' },
  -- Suites are YAML, and prompts of judges Markdown or text; in others the server says nothing.
  filetypes = { 'yaml', 'markdown', 'text' },
  root_markers = { '.suitecase', 'suitecase.toml', '.git' },
  on_attach = function(_, buffer)
    -- Neovim shows code lenses only when it is asked to. Here: whenever the text has changed.
    local function refresh()
      vim.lsp.codelens.refresh({ bufnr = buffer })
    end
    vim.api.nvim_create_autocmd({ 'BufEnter', 'InsertLeave', 'TextChanged' }, {
      buffer = buffer,
      group = vim.api.nvim_create_augroup('suitecase.codelens', { clear = false }),
      callback = refresh,
    })
    refresh()
  end,
}
