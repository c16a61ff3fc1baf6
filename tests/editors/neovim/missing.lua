-- Somebody opens a suite where the server is not there. Says what Neovim says then.

vim.cmd.edit(os.getenv('SUITECASE_SUITE'))
io.stdout:write(vim.fn.execute('messages'), '\n')
vim.cmd('checkhealth suitecase')
io.stdout:write(table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n'), '\n')
vim.cmd('qall!')
