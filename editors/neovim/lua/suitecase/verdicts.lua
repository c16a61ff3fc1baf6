-- Verdicts as virtual text: at the end of the lines in which cases and their rubrics stand.

local suites = require('suitecase.suites')

local M = {}

local NAMESPACE = vim.api.nvim_create_namespace('suitecase.verdicts')
--- After a change further ones are awaited for this long, in milliseconds.
local QUIET = 250
--- States of a run are shown no more often than this, in milliseconds, and leave most of the time
--- to whoever types: so many times as long as drawing them took nothing is drawn.
local PACE = 30
local RESTS = 8

local VERDICTS = {
  pass = { '✓ pass', 'SuitecasePass' },
  rehearsed = { '○ rehearsed', 'SuitecaseRehearsed' },
  borderline = { '~ borderline', 'SuitecaseBorderline' },
  fail = { '✗ fail', 'SuitecaseFail' },
  not_evaluated = { '? not evaluated', 'SuitecaseNotEvaluated' },
  judge_failed = { '! judge failed', 'SuitecaseError' },
  error = { '! error', 'SuitecaseError' },
}
local GOING_ON = { queued = '… queued', started = '… running' }
local HIGHLIGHTS = {
  SuitecasePass = 'DiagnosticOk',
  SuitecaseRehearsed = 'Comment',
  SuitecaseBorderline = 'DiagnosticWarn',
  SuitecaseFail = 'DiagnosticError',
  SuitecaseError = 'DiagnosticError',
  SuitecaseNotEvaluated = 'DiagnosticHint',
  SuitecaseRunning = 'DiagnosticInfo',
  SuitecaseStale = 'Comment',
}

---@class suitecase.Shown what is known of a buffer
---@field suite suitecase.Suite? as it was last asked for
---@field running table<string, string> the states of cases that are not done, by id
---@field asking boolean? the server is being asked
---@field again boolean? and has to be asked once more
---@field timer uv.uv_timer_t? until which changes are awaited
---@field drawing boolean? it will be drawn anew
---@field took number? how long drawing it took the last time, in milliseconds

---@type table<integer, suitecase.Shown>
local shown = {}

local function of(buffer)
  if not shown[buffer] then
    for name, link in pairs(HIGHLIGHTS) do
      vim.api.nvim_set_hl(0, name, { link = link, default = true })
    end
    shown[buffer] = { running = {} }
  end
  return shown[buffer]
end

--- Whether diagnostics of all lines are shown as text beside them: then they say what did not pass.
local function diagnostics_say_it()
  local configured = vim.diagnostic.config().virtual_text
  if type(configured) == 'table' then
    return not (configured.current_line or configured.severity)
  end
  return configured == true
end

--- A score with two digits, and with more where two would tell another verdict.
---@param score number
---@return string
local function shown_score(score)
  for digits = 2, 12 do
    local text = ('%.' .. digits .. 'f'):format(score)
    local rounded = tonumber(text)
    if (rounded >= 0.6) == (score >= 0.6) and (rounded >= 0.8) == (score >= 0.8) then
      return text
    end
  end
  return tostring(score)
end

---@param result suitecase.Result
---@return string, string # the words, and their highlight
local function worded(result)
  local words, highlight = unpack(VERDICTS[result.verdict] or { '? ' .. result.verdict, 'SuitecaseNotEvaluated' })
  if result.score then
    words = words .. ' ' .. shown_score(result.score)
  end
  if result.stale then
    return words .. ' (stale)', 'SuitecaseStale'
  end
  return words, highlight
end

local function put(buffer, line, words, highlight)
  vim.api.nvim_buf_set_extmark(buffer, NAMESPACE, line, 0, {
    virt_text = { { words, highlight } },
    hl_mode = 'combine',
    invalidate = true,
    -- Behind the lens of the line.
    priority = 5000,
    strict = false,
  })
end

local function draw(buffer)
  local began, now = vim.uv.hrtime(), of(buffer)
  vim.api.nvim_buf_clear_namespace(buffer, NAMESPACE, 0, -1)
  local elsewhere = diagnostics_say_it()
  for _, case in ipairs(now.suite and now.suite.cases or {}) do
    local line = case.selectionRange.start.line
    local state, result = GOING_ON[now.running[case.id]], case.result
    if state then
      put(buffer, line, state, 'SuitecaseRunning')
    elseif result then
      if not elsewhere or result.verdict == 'pass' or result.verdict == 'rehearsed' then
        put(buffer, line, worded(result))
      end
      for _, rubric in ipairs(result.rubrics or {}) do
        local words, highlight = '✗', 'SuitecaseFail'
        if rubric.met then
          words, highlight = '✓', 'SuitecasePass'
        elseif rubric.rehearsed then
          words, highlight = '○', 'SuitecaseRehearsed'
        end
        if rubric.met or rubric.rehearsed or not elsewhere then
          put(buffer, rubric.range.start.line, words, result.stale and 'SuitecaseStale' or highlight)
        end
      end
    end
  end
  now.took = (vim.uv.hrtime() - began) / 1e6
end

local function draw_soon(buffer)
  local now = of(buffer)
  if now.drawing then
    return
  end
  now.drawing = true
  vim.defer_fn(function()
    now.drawing = false
    if shown[buffer] == now and vim.api.nvim_buf_is_loaded(buffer) then
      draw(buffer)
    end
  end, math.max(PACE, math.ceil((now.took or 0) * RESTS)))
end

--- Ask for the verdicts of a buffer as they are now, and show them.
---@param client vim.lsp.Client
---@param buffer integer
function M.refresh(client, buffer)
  local now = of(buffer)
  if now.asking then
    now.again = true
    return
  end
  now.asking = true
  suites.discover(client, buffer, function(suite)
    now.asking = false
    if shown[buffer] ~= now or not vim.api.nvim_buf_is_loaded(buffer) then
      return
    end
    local current = not suite or suite.version == vim.lsp.util.buf_versions[buffer]
    if current then
      -- Of a file that is no suite there is nothing to show.
      now.suite = suite
      draw(buffer)
    end
    if not current then
      M.refresh_soon(client, buffer)
    elseif now.again then
      now.again = false
      M.refresh(client, buffer)
    end
  end)
end

--- Do as `refresh` once nothing changes any more.
---@param client vim.lsp.Client
---@param buffer integer
function M.refresh_soon(client, buffer)
  local now = of(buffer)
  now.timer = now.timer or assert(vim.uv.new_timer())
  now.timer:start(
    QUIET,
    0,
    vim.schedule_wrap(function()
      if shown[buffer] == now and not client:is_stopped() then
        M.refresh(client, buffer)
      end
    end)
  )
end

--- The text of a buffer has changed; cases that have verdicts may have come, gone or moved.
---@param client vim.lsp.Client
---@param buffer integer
function M.text_changed(client, buffer)
  local now = shown[buffer]
  if now and now.suite then
    M.refresh_soon(client, buffer)
  end
end

--- A case was begun, or is done.
---@param client vim.lsp.Client
---@param buffer integer
---@param state suitecase.TestState
function M.state_changed(client, buffer, state)
  local now = of(buffer)
  now.running[state.case] = GOING_ON[state.state] and state.state or nil
  local case = vim.iter(now.suite and now.suite.cases or {}):find(function(it)
    return it.id == state.case
  end)
  if not case then
    M.refresh(client, buffer)
    return
  end
  if type(state.verdict) == 'string' then
    -- What the rubrics say follows with all else that is known of the result.
    case.result = {
      verdict = state.verdict,
      score = type(state.score) == 'number' and state.score or nil,
      stale = false,
    }
  end
  draw_soon(buffer)
end

--- The ids of the cases of a buffer that were last asked for.
---@param buffer integer
---@return string[]
function M.ids(buffer)
  local now = shown[buffer]
  return vim.tbl_map(function(it)
    return it.id
  end, now and now.suite and now.suite.cases or {})
end

--- Take all verdicts away.
---@param buffer integer
function M.clear(buffer)
  local now = shown[buffer]
  shown[buffer] = nil
  if now and now.timer then
    now.timer:close()
  end
  if vim.api.nvim_buf_is_valid(buffer) then
    vim.api.nvim_buf_clear_namespace(buffer, NAMESPACE, 0, -1)
  end
end

return M
