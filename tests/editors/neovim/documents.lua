-- Somebody migrates a suite, and reads how it will be graded and what a rule is about.

local patience = tonumber(os.getenv('SUITECASE_PATIENCE')) or 30000

local function see(step, met)
  local fine = vim.wait(patience, met, 20)
  io.stdout:write(fine and 'ok   ' or 'FAIL ', step, '\n')
end

local function says(words)
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n'):find(words, 1, true) ~= nil
end

vim.cmd.edit(os.getenv('SUITECASE_SUITE'))
see('the server runs', function()
  local client = vim.lsp.get_clients({ name = 'suitecase', bufnr = 0 })[1]
  return client ~= nil and client.initialized and #vim.diagnostic.get(0) > 0
end)
vim.cmd('Suitecase migrate')
see('the suite is migrated', function()
  return says('expected_outcome: says hello')
end)
vim.fn.search('id: hello')
vim.cmd('Suitecase explain SC201')
see('a rule is explained', function()
  return says('(SC201)')
end)
vim.cmd.buffer('greet.eval.yaml')
vim.cmd('%s/\\[5, 10\\]/[6, 10]/')
vim.cmd('Suitecase graded')
see('the suite is shown as it will be graded', function()
  return vim.api.nvim_buf_get_name(0):find('graded', 1, true) ~= nil and says('says hello')
end)
vim.cmd.buffer('greet.eval.yaml')
vim.cmd('Suitecase new')
see('a suite is created', function()
  return vim.api.nvim_buf_get_name(0):find('support.eval.yaml', 1, true) ~= nil and says('late-parcel')
end)
vim.cmd('qall!')
