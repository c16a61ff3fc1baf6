-- A session in a real Neovim: what a person does, and what has to be on the screen then.
-- Environment: SUITECASE_SUITE (the suite to open), SUITECASE_SLOW_SUITE (one whose case `late` takes
-- ten minutes), SUITECASE_OPENED (the file in which a browser would have noted what it shows),
-- SUITECASE_PATIENCE (milliseconds, once the server has started), SUITECASE_SCREEN (the module `screen.lua`).
-- Prints "ok" for each step, and ends with "FAIL" at the first that fails.

local patience = 30000
local screen = dofile(os.getenv('SUITECASE_SCREEN'))

local function say(...)
  io.stdout:write(('%-4s %s\n'):format(...))
end

-- Go on if something is so.
local function so(step, fine, detail)
  if not fine then
    local shown = type(detail) == 'function' and detail() or detail
    error(('%s: %s'):format(step, type(shown) == 'string' and shown or vim.inspect(shown)), 0)
  end
  say('ok', step)
end

-- Wait until something is so.
local function see(step, met, detail)
  so(step, vim.wait(patience, met, 20), detail)
end

local function diagnostics(source)
  return vim.tbl_filter(function(it)
    return it.source == source
  end, vim.diagnostic.get(0))
end

local function found()
  return diagnostics('suitecase')
end

local function line(number)
  return vim.api.nvim_buf_get_lines(0, number - 1, number, false)[1]
end

-- The text that a diagnostic underlines, read from the buffer.
local function underlined(it)
  return line(it.lnum + 1):sub(it.col + 1, it.end_col)
end

local function put_cursor(text)
  vim.api.nvim_win_set_cursor(0, { screen.line_of(text), (line(screen.line_of(text)):find(text, 1, true)) - 1 })
end

-- What is in the float that opens, which is closed again; '' where none does.
local function float(open)
  open()
  local window
  vim.wait(patience, function()
    window = vim.iter(vim.api.nvim_list_wins()):find(function(it)
      return vim.api.nvim_win_get_config(it).relative ~= ''
    end)
    return window
  end, 20)
  if not window then
    return ''
  end
  local text = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), '\n')
  vim.api.nvim_win_close(window, true)
  return text
end

local function see_beside(step, text, words)
  see(step, function()
    return screen.beside(text) == words
  end, function()
    return ('beside `%s` stands `%s`, and not `%s`'):format(text, screen.beside(text), words)
  end)
end

local function buffer_says(...)
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  return vim.iter({ ... }):all(function(it)
    return text:find(it, 1, true) ~= nil
  end)
end

local function whole_buffer()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
end

local function session()
  vim.cmd.edit(os.getenv('SUITECASE_SUITE'))
  see('a suite stays YAML', function()
    return vim.bo.filetype == 'yaml' and vim.b.current_syntax == 'yaml'
  end, function()
    return { vim.bo.filetype, vim.b.current_syntax }
  end)

  -- A range that overlaps another is underlined, behind characters that take more than one byte.
  local overlap
  see('the overlap is found', function()
    overlap = vim.iter(found()):find(function(it)
      return it.code == 'SC201'
    end)
    return overlap and #found() == 2
  end, found)
  patience = tonumber(os.getenv('SUITECASE_PATIENCE'))
  local is_error = overlap.severity == vim.diagnostic.severity.ERROR
  so('the overlap is an error at its place', is_error and underlined(overlap) == '[5, 10]', overlap)
  put_cursor('[5, 10]')
  local reason = float(vim.diagnostic.open_float)
  so('the overlap says why', reason:find('overlaps [0, 5]', 1, true), reason)
  put_cursor('score_ranges')
  local meaning = float(vim.lsp.buf.hover)
  so('a key says what it means', meaning:find('What each score from 0 to 10 means', 1, true), meaning)

  put_cursor('[5, 10]')
  vim.lsp.buf.code_action({
    apply = true,
    filter = function(it)
      return it.kind == 'quickfix' and it.title == 'Change to [6, 10]'
    end,
  })
  see('the quick fix mends the overlap', function()
    return screen.line_of('[6, 10]') > 0 and #found() == 1
  end, whole_buffer)

  -- A rubric in an older spelling.
  so('the older spelling is found', underlined(found()[1]) == 'description', found)
  vim.cmd('Suitecase fix')
  see('the rubric is migrated', function()
    return screen.line_of('expected_outcome: says hello') > 0 and #vim.diagnostic.get(0) == 0
  end, whole_buffer)

  -- A clean suite shows nothing but its lenses.
  see_beside('a lens for all cases', 'evalcases:', '▶ Run all cases')
  see_beside('a lens for the case', 'id: greet', '▶ Run case')
  see_beside('nothing beside a rubric', 'id: zebra', '')

  -- The lens runs the case; the buffer is not saved.
  put_cursor('id: greet')
  vim.lsp.codelens.run()
  see_beside('the verdict stands at the case', 'id: greet', '▶ Run again ✗ fail 0.50')
  see_beside('what was met is marked as rehearsed', 'id: hello', '○')
  see_beside('what was missed is marked', 'id: zebra', '✗')
  local miss
  see('the miss is at its rubric, and says why', function()
    miss = vim.iter(diagnostics('suitecase run')):find(function(it)
      return underlined(it) == 'zebra'
    end)
    return miss and miss.message:find('zebras', 1, true)
  end, function()
    return diagnostics('suitecase run')
  end)
  put_cursor('id: greet')
  local last = float(vim.lsp.buf.hover)
  so('the hover has the verdict too', last:find('✗ fail') and last:find('zebras'), last)
  so('the buffer is not saved', vim.bo.modified)

  -- What is said twice by diagnostics as text is said once.
  vim.cmd('Suitecase clear')
  see_beside('results are forgotten', 'id: greet', '▶ Run case')
  vim.diagnostic.config({ virtual_text = true })
  put_cursor('id: hello')
  vim.cmd('Suitecase run')
  see('with diagnostics as text the verdict is there once', function()
    local words = screen.beside('id: greet')
    return words:find('fail 0.50', 1, true) and select(2, words:gsub('fail', '')) == 1
  end, function()
    return screen.beside('id: greet')
  end)
  vim.diagnostic.config({ virtual_text = false })

  -- A change makes it stale; another run makes it fresh.
  vim.cmd(('%ds/Hello there/Good day/'):format(screen.line_of('Hello there')))
  see_beside('the verdict is stale', 'id: greet', '▶ Run again ✗ fail 0.50 (stale)')
  put_cursor('Good day')
  vim.lsp.buf.code_action({
    apply = true,
    filter = function(it)
      return it.title == 'Run case `greet`'
    end,
  })
  see('a code action runs it again', function()
    local words = screen.beside('id: greet')
    return words:find('%d$') and not words:find('stale') and not words:find('running')
  end, function()
    return screen.beside('id: greet')
  end)
  local offered = vim.fn.getcompletion('Suitecase run gr', 'cmdline')
  so('cases are completed', vim.deep_equal(offered, { 'greet' }), offered)

  put_cursor('Good day')
  vim.cmd('Suitecase report')
  see('the report is opened in a browser', function()
    local noted = io.open(os.getenv('SUITECASE_OPENED'))
    return noted and noted:read('a'):find('%.html')
  end)
  local suite = vim.api.nvim_get_current_buf()
  vim.cmd('Suitecase log')
  see('the log is opened', function()
    return vim.bo.filetype == 'markdown' and buffer_says('Good day', 'zebra')
  end, whole_buffer)

  -- A run is cancelled.
  vim.cmd.edit(os.getenv('SUITECASE_SLOW_SUITE'))
  see_beside('another suite', 'id: late', '▶ Run case')
  vim.cmd('Suitecase suite')
  see('a case is running', function()
    return screen.beside('id: late'):find('running…', 1, true)
  end, function()
    return screen.beside('id: late')
  end)
  vim.cmd('Suitecase cancel')
  see('the run is cancelled', function()
    return not screen.beside('id: late'):find('running')
  end, function()
    return screen.beside('id: late')
  end)
  see_beside('what was done before stays', 'id: quick', '▶ Run again ○ rehearsed 1.00')

  vim.cmd('checkhealth suitecase')
  see('nothing is wrong with the health', function()
    return buffer_says('OK suitecase 0', 'It runs: suitecase', 'slow.eval.yaml', 'Trusted: ')
      and not buffer_says('ERROR')
      and not buffer_says('WARNING')
  end, whole_buffer)
  vim.cmd('helptags ALL')
  vim.cmd('help :Suitecase')
  local shown = vim.fn.getline('.')
  so('the help is there', vim.bo.filetype == 'help' and shown:find(':Suitecase', 1, true), shown)

  vim.cmd.buffer(suite)
  local before = vim.lsp.get_clients({ name = 'suitecase' })[1].id
  vim.cmd('Suitecase restart')
  see('the server is started again', function()
    local now = vim.lsp.get_clients({ name = 'suitecase', bufnr = 0 })
    return #now == 1 and now[1].id > before and now[1].initialized
  end, vim.lsp.get_clients)
end

local fine, trouble = pcall(session)
if fine then
  say('ok', 'the session went to its end')
else
  say('FAIL', tostring(trouble))
end
for _, it in ipairs(vim.lsp.get_clients()) do
  it:stop(not fine)
end
vim.wait(patience, function()
  return #vim.lsp.get_clients() == 0
end, 20)
vim.cmd(fine and 'qall!' or 'cquit 1')
