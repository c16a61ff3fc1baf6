if vim.g.loaded_suitecase then
  return
end
vim.g.loaded_suitecase = true

if vim.fn.has('nvim-0.11') == 0 then
  vim.notify('suitecase: needs Neovim 0.11 or newer', vim.log.levels.WARN)
  return
end

vim.api.nvim_create_autocmd('LspAttach', {
  group = vim.api.nvim_create_augroup('suitecase.attach', {}),
  desc = 'Lenses and verdicts of evaluation suites',
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name == 'suitecase' then
      require('suitecase').attach(client, event.buf)
    end
  end,
})

-- Neovim passes over servers that are not there without a word.
vim.api.nvim_create_autocmd('FileType', {
  group = vim.api.nvim_create_augroup('suitecase.missing', {}),
  desc = 'Say that the language server of evaluation suites is not there',
  callback = function(event)
    if event.file:match('%.eval%.ya?ml$') and vim.lsp.is_enabled('suitecase') then
      require('suitecase').tell_if_missing()
    end
  end,
})

vim.api.nvim_create_user_command('Suitecase', function(call)
  require('suitecase.commands').call(call)
end, {
  nargs = '+',
  range = true,
  desc = 'Run the cases of an evaluation suite, and see how they did',
  complete = function(...)
    return require('suitecase.commands').complete(...)
  end,
})
