-- Somebody types in a real Neovim, and accepts what its own completion offers. The Neovim that is typed into is a child of
-- this one, with a screen, since only then the menu of completion is there. Says "ok" for each step, and ends with "FAIL" at
-- the first that is not. Environment: SUITECASE_SUITE (its folder is the workspace), SUITECASE_PATIENCE (milliseconds).

local patience = tonumber(os.getenv('SUITECASE_PATIENCE'))
local workspace = vim.fs.dirname(os.getenv('SUITECASE_SUITE'))

local child = vim.fn.jobstart({ vim.v.progpath, '--embed', '-n' }, { rpc = true })

local function lua(code, ...)
  return vim.rpcrequest(child, 'nvim_exec_lua', code, { ... })
end

local function see(step, met, detail)
  if not vim.wait(patience, met, 20) then
    error(('%s: %s'):format(step, vim.inspect(detail())), 0)
  end
  io.stdout:write(('ok   %s\n'):format(step))
end

local function text()
  return table.concat(vim.rpcrequest(child, 'nvim_buf_get_lines', 0, 0, -1, false), '\n')
end

local function type_keys(keys)
  vim.rpcrequest(child, 'nvim_input', keys)
end

local function open(name, content)
  local path = vim.fs.joinpath(workspace, name)
  vim.fn.writefile(vim.split(content, '\n'), path)
  vim.rpcrequest(child, 'nvim_command', 'edit! ' .. vim.fn.fnameescape(path))
  see(name .. ' is open', function()
    return lua([[
      local clients = vim.lsp.get_clients({ bufnr = 0, name = 'suitecase' })
      if clients[1] and clients[1].initialized then
        vim.lsp.completion.enable(true, clients[1].id, 0)
        return true
      end
      return false
    ]])
  end, text)
end

-- Type something at the end of the file, ask for completion, and accept what has a label.
local function accept(step, typed, label, expected)
  type_keys('<Esc>Go<C-u>' .. typed .. '<C-x><C-o>')
  local function offered()
    return lua('return vim.fn.complete_info({ "items", "selected" })')
  end
  local number
  see(step .. ' is offered', function()
    for index, item in ipairs(offered().items or {}) do
      if item.abbr == label then
        number = index
      end
    end
    return number ~= nil
  end, offered)
  lua('vim.api.nvim_select_popupmenu_item(...)', number - 1, true, false, {})
  type_keys('<C-y>')
  see(step .. ' is written whole', function()
    return vim.endswith(text(), expected)
  end, text)
  type_keys('<Esc>')
end

local fine, message = pcall(function()
  vim.rpcrequest(child, 'nvim_ui_attach', 100, 40, vim.empty_dict())
  vim.rpcrequest(child, 'nvim_command', 'set completeopt=menuone,noinsert | set noautoindent')

  open('typed.eval.yaml', 'evalcases:\n  - id: a\n    input: Hi\n    expected_outcome: Greets')
  accept('a key with a list under it', '    rubr', 'rubrics', '\n    rubrics:\n      - ')
  accept('an evaluator', '    evaluators:<CR><C-u>      - ', 'contains', '- name: contains\n        type: contains\n        value: ')

  open('targets.yaml', 'targets:\n  - name: openai\n    provider: litellm\n    model: openai/gpt-5')
  accept('a key with a value behind it', '    api_', 'api_key', '\n    api_key: ')
  open('targets.yaml', 'targets:\n  - name: openai\n    provider: litellm\n    model: openai/gpt-5')
  accept('a variable', '    api_key: ', '${{ OPENAI_API_KEY }}', '\n    api_key: ${{ OPENAI_API_KEY }}')
end)
io.stdout:write(fine and 'ok   the session went to its end\n' or ('FAIL %s\n'):format(message))
vim.fn.jobstop(child)
vim.cmd(fine and 'qall!' or 'cquit!')
