-- Somebody runs a test of another tool's suite with the cursor in it. Says what stands beside its lines then.
-- Environment: SUITECASE_FILES (the suite), SUITECASE_PATIENCE (milliseconds).

local patience = tonumber(os.getenv('SUITECASE_PATIENCE'))

-- What is drawn beside the text of a line, from left to right.
local function beside(text)
  local row, drawn = vim.fn.search('\\V' .. text, 'nw') - 1, {}
  local marks = vim.api.nvim_buf_get_extmarks(0, -1, { row, 0 }, { row, -1 }, { details = true })
  table.sort(marks, function(a, b)
    return a[4].priority < b[4].priority
  end)
  for _, mark in ipairs(marks) do
    for _, chunk in ipairs(mark[4].virt_text or {}) do
      table.insert(drawn, chunk[1])
    end
  end
  return table.concat(drawn, ' ')
end

local function wait_beside(text, words)
  vim.wait(patience, function()
    return beside(text):find(words, 1, true) ~= nil
  end, 20)
  io.stdout:write(('%s: %s\n'):format(text, beside(text)))
end

vim.cmd.edit(os.getenv('SUITECASE_FILES'))
wait_beside('description: greets Ann', 'Run test')
vim.api.nvim_win_set_cursor(0, { vim.fn.search('greets Ann', 'nw'), 4 })
vim.cmd('Suitecase run')
wait_beside('description: greets Ann', 'fail')
wait_beside('type: contains', '✗')
wait_beside('type: icontains', '✓')
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
