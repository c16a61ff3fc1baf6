-- Somebody opens suites of other tools, and files that are no suites. Says which rules each file shows, and for which no
-- server was started. Environment: SUITECASE_FILES (their paths), SUITECASE_PATIENCE (milliseconds).

local patience = tonumber(os.getenv('SUITECASE_PATIENCE'))
local files = vim.split(os.getenv('SUITECASE_FILES'), '\n')

local function rules(buffer)
  local found = {}
  for _, it in ipairs(vim.diagnostic.get(buffer)) do
    found[it.code] = true
  end
  local codes = vim.tbl_keys(found)
  table.sort(codes)
  return table.concat(codes, ' ')
end

local function starts(buffer)
  local root
  require('suitecase.workspaces').root_dir(buffer, function(found)
    root = found
  end)
  return root ~= nil
end

local buffers, alone = {}, {}
for _, file in ipairs(files) do
  vim.cmd.edit(vim.fn.fnameescape(file))
  local buffer = vim.api.nvim_get_current_buf()
  buffers[file] = buffer
  if not starts(buffer) then
    alone[#alone + 1] = vim.fs.basename(file)
  end
  local is_suite = file:match('promptfooconfig') or file:match('evals.json$')
  vim.wait(is_suite and patience or 0, function()
    return rules(buffer) ~= ''
  end, 20)
end
-- What comes of the first ones has come by now: the server was asked of others since.
for _, file in ipairs(files) do
  io.stdout:write(('%s: %s\n'):format(file, rules(buffers[file])))
end
io.stdout:write('no server for: ', table.concat(alone, ' '), '\n')
vim.cmd('qall!')
