-- The command `:Suitecase`.

local suites = require('suitecase.suites')
local verdicts = require('suitecase.verdicts')

local M = {}

local NAME = 'suitecase'

---@param words string
---@param level integer?
local function tell(words, level)
  vim.notify('suitecase: ' .. words, level or vim.log.levels.INFO)
end

local function refuse(words)
  tell(words, vim.log.levels.ERROR)
end

--- The client of the current buffer; says what to do where there is none.
---@return vim.lsp.Client?
local function client_here()
  local client = vim.lsp.get_clients({ name = NAME, bufnr = 0 })[1]
  if not client then
    refuse('the language server does not run for this buffer; open a suite, and see :checkhealth suitecase')
  end
  return client
end

--- Have the server execute a command about the current buffer.
---@param client vim.lsp.Client
---@param command string
---@param arguments any[]
---@param answered? fun(answer: any)
local function execute(client, command, arguments, answered)
  client:exec_cmd({ title = command, command = command, arguments = arguments }, { bufnr = 0 }, function(trouble, answer)
    if trouble then
      refuse(trouble.message)
    elseif answered then
      answered(answer)
    end
  end)
end

--- Execute a command about the case that was named, or else about the one at the cursor.
---@param client vim.lsp.Client
---@param command string
---@param id string? as it was named
local function execute_on_case(client, command, id)
  local uri = vim.uri_from_bufnr(0)
  if id then
    execute(client, command, { uri, id })
    return
  end
  local buffer, line = vim.api.nvim_get_current_buf(), vim.api.nvim_win_get_cursor(0)[1] - 1
  suites.discover(client, buffer, function(suite, problem)
    if not suite then
      refuse(problem or 'this is no suite')
      return
    end
    local case = suites.case_in_line(suite, line)
    if case then
      execute(client, command, { uri, case.id })
    else
      refuse('there is no case with an id at the cursor; put the cursor on one, or name it behind the command')
    end
  end)
end

local function run(client, call, id)
  if call.range == 0 or id then
    execute_on_case(client, 'suitecase.runCase', id)
    return
  end
  execute(client, 'suitecase.runSelection', {
    vim.uri_from_bufnr(0),
    {
      start = { line = call.line1 - 1, character = 0 },
      -- Not the start of the next line, where the next case may begin.
      ['end'] = { line = call.line2 - 1, character = #vim.fn.getline(call.line2) },
    },
  })
end

local function on_document(command)
  return function(client)
    execute(client, command, { vim.uri_from_bufnr(0) })
  end
end

local function cancel(client)
  execute(client, 'suitecase.cancelRun', { vim.uri_from_bufnr(0) }, function(answer)
    if #answer.cancelled == 0 then
      tell('no case of this suite is being run')
    end
  end)
end

local function clear(client, _, id)
  execute(client, 'suitecase.clearResults', { vim.uri_from_bufnr(0), id })
end

--- Open a case as it will be graded: the one named or at the cursor, or else the suite.
local function graded(client, _, id)
  local uri = vim.uri_from_bufnr(0)
  if id then
    execute(client, 'suitecase.showAsGraded', { uri, id })
    return
  end
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  suites.discover(client, vim.api.nvim_get_current_buf(), function(suite, problem)
    if not suite then
      refuse(problem or 'this is no suite')
      return
    end
    local case = suites.case_in_line(suite, line)
    execute(client, 'suitecase.showAsGraded', { uri, case and case.id or '' })
  end)
end

--- Create a suite beside the current file, with the files that it needs. None of them exists yet.
local function new(client)
  local folder = vim.uri_from_fname(vim.fn.expand('%:p:h'))
  execute(client, 'suitecase.createSuite', { folder, { apply = false } }, function(answer)
    for _, file in ipairs(answer.files) do
      local path = vim.uri_to_fname(file.uri)
      vim.fn.mkdir(vim.fs.dirname(path), 'p')
      vim.fn.writefile(vim.split(file.text, '\n'), path, 'b')
    end
    vim.cmd.edit(vim.fn.fnameescape(vim.uri_to_fname(answer.uri)))
  end)
end

--- Open the page of the rule that was named, or of what is found in the line of the cursor.
local function explain(client, _, rule)
  if not rule then
    for _, found in ipairs(vim.diagnostic.get(0, { lnum = vim.api.nvim_win_get_cursor(0)[1] - 1 })) do
      if found.source == NAME then
        rule = found.code
        break
      end
    end
  end
  if rule then
    execute(client, 'suitecase.explainRule', { rule })
  else
    refuse('nothing is found in this line; name a rule, such as `:Suitecase explain SC201`')
  end
end

local function fix()
  vim.lsp.buf.code_action({
    apply = true,
    context = { only = { 'source.fixAll.suitecase' }, diagnostics = {} },
  })
end

--- End the server with the process that runs cases, and start it again with what is configured now.
local function restart()
  local ended = vim.lsp.get_clients({ name = NAME })
  for _, client in ipairs(ended) do
    client:stop()
  end
  local waited = 0
  local function start()
    local alive = vim.tbl_filter(function(it)
      return vim.lsp.get_client_by_id(it.id) ~= nil
    end, ended)
    waited = waited + 50
    if #alive > 0 and waited < 10000 then
      -- A server that does not answer is ended without being asked.
      if waited == 3000 then
        for _, it in ipairs(alive) do
          it.rpc.terminate()
        end
      end
      vim.defer_fn(start, 50)
    elseif #alive > 0 then
      refuse('the language server does not end; end Neovim, or the process')
    elseif vim.lsp.is_enabled(NAME) then
      vim.lsp.enable(NAME)
    else
      refuse("the language server has ended; start it with vim.lsp.enable('suitecase')")
    end
  end
  start()
end

---@class suitecase.Command
---@field call fun(client: vim.lsp.Client?, call: table, id: string?)
---@field takes_case? boolean
---@field takes_rule? boolean
---@field without_client? boolean

---@type table<string, suitecase.Command>
local COMMANDS = {
  run = { call = run, takes_case = true },
  suite = { call = on_document('suitecase.runSuite') },
  failed = { call = on_document('suitecase.runFailed') },
  cancel = { call = cancel },
  log = {
    call = function(client, _, id)
      execute_on_case(client, 'suitecase.openLog', id)
    end,
    takes_case = true,
  },
  report = { call = on_document('suitecase.openReport') },
  clear = { call = clear, takes_case = true },
  fix = { call = fix },
  migrate = { call = on_document('suitecase.migrateSuite') },
  new = { call = new },
  explain = { call = explain, takes_rule = true },
  graded = { call = graded, takes_case = true },
  restart = { call = restart, without_client = true },
}

local function names()
  local all = vim.tbl_keys(COMMANDS)
  table.sort(all)
  return all
end

--- `:Suitecase {what} [case]`, with the table that Neovim gives to user commands.
function M.call(call)
  local what, id = call.args:match('^(%S+)%s*(.-)%s*$')
  id = id ~= '' and id or nil
  local command = COMMANDS[what]
  if not command then
    refuse(('there is no `:Suitecase %s`; there are %s'):format(what, table.concat(names(), ', ')))
    return
  end
  if id and not (command.takes_case or command.takes_rule) then
    refuse(('`:Suitecase %s` takes nothing behind it, and `%s` stands there'):format(what, id))
    return
  end
  if call.range > 0 and what ~= 'run' then
    refuse(('`:Suitecase %s` takes no range; only `:Suitecase run` does'):format(what))
    return
  end
  local client
  if not command.without_client then
    client = client_here()
    if not client then
      return
    end
  end
  command.call(client, call, id)
end

--- What may stand at the end of a command line that begins with `:Suitecase`.
---@param lead string the word so far
---@param line string the whole command line
---@return string[]
function M.complete(lead, line)
  local what = line:match('Suitecase!?%s+(%S+)%s')
  local offered = names()
  if what then
    local command = COMMANDS[what]
    offered = command and command.takes_case and verdicts.ids(vim.api.nvim_get_current_buf()) or {}
  end
  return vim.tbl_filter(function(it)
    return vim.startswith(it, lead)
  end, offered)
end

return M
