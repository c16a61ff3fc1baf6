-- The cases of suites, as the server knows them; docs/editors/protocol.md describes what is asked.

local M = {}

---@class suitecase.Result
---@field verdict string pass, rehearsed, borderline, fail, judge_failed, not_evaluated or error
---@field score number? from 0 to 1
---@field stale boolean
---@field rubrics? { range: lsp.Range, met: boolean, rehearsed: boolean, message: string }[]

---@class suitecase.Case
---@field id string
---@field range lsp.Range
---@field selectionRange lsp.Range
---@field result suitecase.Result?

---@class suitecase.Suite
---@field version integer
---@field cases suitecase.Case[]

---@class suitecase.TestState
---@field uri string
---@field case string
---@field state string queued, started, passed, failed, errored, skipped or notRun
---@field verdict string?
---@field score number?

--- The client of a number and the buffer in which it shows an address; nil where it shows it in none.
---@param client_id integer
---@param uri string
---@return vim.lsp.Client?, integer?
function M.shown(client_id, uri)
  local client = vim.lsp.get_client_by_id(client_id)
  for buffer in pairs(client and client.attached_buffers or {}) do
    if vim.api.nvim_buf_is_loaded(buffer) and vim.uri_from_bufnr(buffer) == uri then
      return client, buffer
    end
  end
end

--- The same value without the entries that are JSON's null, which is a value of its own to Neovim.
local function without_null(value)
  if type(value) ~= 'table' then
    return value
  end
  local kept = {}
  for key, it in pairs(value) do
    if it ~= vim.NIL then
      kept[key] = without_null(it)
    end
  end
  return kept
end

--- Ask for the cases of a suite as it stands in a buffer.
---@param client vim.lsp.Client
---@param buffer integer
---@param answered fun(suite: suitecase.Suite?, problem: string?) called with why there is none
function M.discover(client, buffer, answered)
  client:request('suitecase/discoverTests', { uri = vim.uri_from_bufnr(buffer) }, function(trouble, suite)
    if trouble or not suite then
      answered(nil, trouble and trouble.message or 'the server did not say which cases there are')
    else
      answered(without_null(suite))
    end
  end, buffer)
end

--- The case in a line.
---@param suite suitecase.Suite
---@param line integer from 0
---@return suitecase.Case?
function M.case_in_line(suite, line)
  local found
  for _, case in ipairs(suite.cases) do
    -- A case may end at the start of the line after its last one.
    local last = case.range['end'].line - (case.range['end'].character == 0 and 1 or 0)
    if case.range.start.line <= line and line <= last then
      found = case
    end
  end
  return found
end

return M
