-- A session in a real Neovim: what a person does, and what has to be on the screen then.
-- Environment: SUITECASE_EDITOR (the folder with our configuration), SUITECASE_COMMAND (JSON, how
-- to start the server), SUITECASE_SUITE (the suite to open). Says "ok" or "FAIL" for each step.

local failures = 0

local function check(step, fine, detail)
  failures = failures + (fine and 0 or 1)
  io.stdout:write(('%-4s %s%s\n'):format(fine and 'ok' or 'FAIL', step, fine and '' or ': ' .. vim.inspect(detail)))
end

local function eventually(met)
  return vim.wait(30000, met, 20)
end

local function diagnostics(source)
  return vim.tbl_filter(function(it)
    return it.source == source
  end, vim.diagnostic.get(0))
end

local function line(number)
  return vim.api.nvim_buf_get_lines(0, number - 1, number, false)[1]
end

-- The text that a diagnostic underlines, read from the buffer.
local function underlined(it)
  return line(it.lnum + 1):sub(it.col + 1, it.end_col)
end

local function row_of(text)
  return vim.fn.search('\\V' .. text, 'nw')
end

local function put_cursor(text)
  vim.api.nvim_win_set_cursor(0, { row_of(text), (line(row_of(text)):find(text, 1, true)) - 1 })
end

local function hover()
  vim.lsp.buf.hover()
  local float
  eventually(function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= '' then
        float = window
      end
    end
    return float
  end)
  if not float then
    return ''
  end
  local text = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(float), 0, -1, false), '\n')
  vim.api.nvim_win_close(float, true)
  return text
end

local function lens_titles()
  return vim.tbl_map(function(it)
    return it.command.title
  end, vim.lsp.codelens.get(0))
end

local function shown_beside(text)
  -- What is drawn as virtual text in the line.
  local drawn = {}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, -1, { row_of(text) - 1, 0 }, { row_of(text) - 1, -1 }, { details = true })) do
    for _, chunk in ipairs(mark[4].virt_text or {}) do
      table.insert(drawn, chunk[1])
    end
  end
  return table.concat(drawn)
end

local function session()
  vim.opt.runtimepath:append(os.getenv('SUITECASE_EDITOR'))
  vim.lsp.config('suitecase', { cmd = vim.json.decode(os.getenv('SUITECASE_COMMAND')) })
  vim.lsp.enable('suitecase')
  vim.diagnostic.config({ virtual_text = true })
  vim.cmd.edit(os.getenv('SUITECASE_SUITE'))

  -- An overlap of ranges is underlined, behind characters that take more than one byte.
  eventually(function()
    return #diagnostics('suitecase') == 2
  end)
  local found = diagnostics('suitecase')
  check('two findings', #found == 2, found)
  local overlap = vim.tbl_filter(function(it)
    return it.code == 'SC201'
  end, found)[1]
  check('the overlap is an error', overlap and overlap.severity == vim.diagnostic.severity.ERROR, overlap)
  check('the overlap is underlined at its place', overlap and underlined(overlap) == '[5, 10]', overlap)
  check('the overlap is shown in its line', shown_beside('[5, 10]'):find('overlaps [0, 5]', 1, true), shown_beside('[5, 10]'))

  -- A key says what it means.
  put_cursor('score_ranges')
  local meaning = hover()
  check('hover', meaning:find('What each score from 0 to 10 means', 1, true), meaning)

  -- A quick fix mends the other finding.
  put_cursor('outcome: Says hello')
  vim.lsp.buf.code_action({
    apply = true,
    filter = function(it)
      return it.kind == 'quickfix' and it.isPreferred
    end,
  })
  eventually(function()
    return #diagnostics('suitecase') == 1
  end)
  check('the fix is in the text', row_of('    expected_outcome: Says hello') > 0, line(4))
  check('and its finding is gone', #diagnostics('suitecase') == 1, diagnostics('suitecase'))

  -- Typing mends the overlap.
  vim.cmd(('%ds/\\[5, 10\\]/[6, 10]/'):format(row_of('[5, 10]')))
  eventually(function()
    return #diagnostics('suitecase') == 0
  end)
  check('nothing is left to find', #vim.diagnostic.get(0) == 0, vim.diagnostic.get(0))

  -- The lens over the case runs it; the buffer is not saved.
  eventually(function()
    return #vim.lsp.codelens.get(0) == 2
  end)
  check('lenses', vim.deep_equal(lens_titles(), { '▶ Run all cases', '▶ Run case' }), lens_titles())
  put_cursor('id: greet')
  vim.lsp.codelens.run()
  eventually(function()
    return #diagnostics('suitecase run') == 2
  end)
  local results = diagnostics('suitecase run')
  table.sort(results, function(a, b)
    return a.lnum < b.lnum
  end)
  check('verdict and miss', #results == 2, results)
  check('the verdict is at the case', results[1] and underlined(results[1]) == 'greet', results[1])
  check('the verdict is a fail', results[1] and results[1].message:find('^fail 0%.%d%d'), results[1])
  check('the miss is at the rubric', results[2] and underlined(results[2]) == 'zebra', results[2])
  eventually(function()
    return (lens_titles()[2] or ''):find('✗ fail', 1, true)
  end)
  check('the lens has the verdict', (lens_titles()[2] or ''):find('✗ fail 0%.%d%d$'), lens_titles())
  local last = hover()
  check('the hover has it too', last:find('✗ fail') and last:find('zebras'), last)
  check('the buffer is not saved', vim.bo.modified, nil)

  -- A change makes it stale; without lenses the case can be run as well.
  vim.cmd(('%ds/Hello there/Good day/'):format(row_of('Hello there')))
  eventually(function()
    return vim.iter(diagnostics('suitecase run')):any(function(it)
      return it.message:find('stale')
    end)
  end)
  check('the results are stale', diagnostics('suitecase run')[1].message:find('stale'), diagnostics('suitecase run'))
  put_cursor('Good day')
  vim.lsp.buf.code_action({
    apply = true,
    filter = function(it)
      return it.title == 'Run case `greet`'
    end,
  })
  local fresh = eventually(function()
    local now = diagnostics('suitecase run')
    return #now > 0 and not vim.iter(now):any(function(it)
      return it.message:find('stale')
    end)
  end)
  check('the action runs it again', fresh, diagnostics('suitecase run'))
end

local fine, trouble = xpcall(session, debug.traceback)
check('the session went to its end', fine, trouble)
local client = vim.lsp.get_clients({ name = 'suitecase' })[1]
if client then
  client:stop()
end
check('the server has ended', eventually(function()
  return #vim.lsp.get_clients() == 0
end), vim.lsp.get_clients())
vim.cmd(failures > 0 and 'cquit 1' or 'qall!')
