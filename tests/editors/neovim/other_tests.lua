-- Runs the test of another tool's suite that the cursor is in, and prints what is then beside its lines.
-- Environment: SUITECASE_FILES (the suite), SUITECASE_PATIENCE (milliseconds), SUITECASE_SCREEN (the module `screen.lua`).

local patience = tonumber(os.getenv('SUITECASE_PATIENCE'))
local screen = dofile(os.getenv('SUITECASE_SCREEN'))

-- Lenses, verdicts and diagnostics follow a run one by one: each is awaited in full.
local function wait_beside(text, words)
  vim.wait(patience, function()
    return screen.beside(text) == words
  end, 20)
  io.stdout:write(('%s: %s\n'):format(text, screen.beside(text)))
end

vim.cmd.edit(os.getenv('SUITECASE_FILES'))
wait_beside('description: greets Ann', '▶ Run test')
vim.api.nvim_win_set_cursor(0, { screen.line_of('greets Ann'), 4 })
vim.cmd('Suitecase run')
wait_beside('description: greets Ann', '▶ Run again ✗ fail 0.75')
wait_beside('type: contains', '✗')
wait_beside('type: icontains', '✓')
vim.wait(patience, function()
  return #vim.diagnostic.get(0) == 2
end, 20)
for _, it in ipairs(vim.diagnostic.get(0)) do
  io.stdout:write(('%d: %s\n'):format(it.lnum + 1, it.message))
end
for _, it in ipairs(vim.lsp.get_clients()) do
  it:stop()
end
vim.wait(patience, function()
  return #vim.lsp.get_clients() == 0
end, 20)
vim.cmd('qall!')
