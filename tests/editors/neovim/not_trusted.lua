-- Somebody asks to run a case where `init.lua` forbids it. Says what Neovim says then.

local function wait(met)
  return vim.wait(30000, met, 20)
end

local function ask()
  vim.cmd.edit(os.getenv('SUITECASE_SUITE'))
  wait(function()
    return #vim.lsp.codelens.get(0) > 0
  end)
  vim.api.nvim_win_set_cursor(0, { 2, 0 })
  local said = {}
  vim.notify = function(words)
    table.insert(said, words)
  end
  vim.cmd('Suitecase run')
  wait(function()
    return #said > 0
  end)
  io.stdout:write(table.concat(said, '\n'), '\n')
  vim.cmd('checkhealth suitecase')
  io.stdout:write(table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n'), '\n')
end

local fine, trouble = pcall(ask)
if not fine then
  io.stdout:write(tostring(trouble), '\n')
end
for _, it in ipairs(vim.lsp.get_clients()) do
  it:stop()
end
wait(function()
  return #vim.lsp.get_clients() == 0
end)
vim.cmd('qall!')
