-- `:checkhealth suitecase`: whether the server is there, runs, and may run cases.

local M = {}

local INSTALL = {
  'Install it: `pip install suitecase`, in an environment whose programs are on the PATH.',
  "Or say where it is: `vim.lsp.config('suitecase', { cmd = { '/path/to/.venv/bin/suitecase', 'lsp' } })`.",
}

local function check_program()
  vim.health.start('The program')
  local configured = vim.lsp.config.suitecase
  if not configured then
    vim.health.error("There is no configuration `suitecase`", 'Put the plugin on the runtime path; see |suitecase-install|.')
    return
  end
  local command = configured.cmd
  if type(command) ~= 'table' then
    vim.health.info('`cmd` is a function; what it starts is unknown')
    return
  end
  local path = vim.fn.exepath(command[1])
  if path == '' then
    vim.health.error(('`%s` is not there, or cannot be executed'):format(command[1]), INSTALL)
    return
  end
  local asked, done = pcall(function()
    return vim.system({ path, '--version' }, { text = true }):wait(10000)
  end)
  if not asked or done.code ~= 0 then
    local said = vim.trim(asked and (done.stderr or '') or tostring(done))
    vim.health.error(('`%s --version` failed%s'):format(path, said == '' and '' or ': ' .. said), INSTALL)
  else
    vim.health.ok(('%s, at %s'):format(vim.trim(done.stdout), path))
  end
  if not vim.lsp.is_enabled('suitecase') then
    vim.health.warn('The language server is not switched on', "Put `vim.lsp.enable('suitecase')` into your init.lua.")
  end
end

local function check_client(client)
  local info = client.server_info or {}
  vim.health.ok(('It runs: %s %s, client %d'):format(info.name or client.name, info.version or '(version unknown)', client.id))
  vim.health.info('Workspace: ' .. (client.root_dir or 'none'))
  local buffers = vim.tbl_keys(client.attached_buffers)
  table.sort(buffers)
  for _, buffer in ipairs(buffers) do
    local name = vim.api.nvim_buf_get_name(buffer)
    vim.health.info(('Attached to %s, filetype `%s`'):format(vim.fn.fnamemodify(name, ':~:.'), vim.bo[buffer].filetype))
    local others = vim.tbl_filter(function(it)
      return it.name == 'yamlls' or it.name == 'yaml-language-server'
    end, vim.lsp.get_clients({ bufnr = buffer }))
    if #others > 0 and name:match('%.eval%.ya?ml$') then
      vim.health.warn(
        ('`%s` is attached to %s as well, and may report what is right in a suite'):format(others[1].name, vim.fn.fnamemodify(name, ':t')),
        'Give it the JSON Schema of suites, or keep it away from them; see |suitecase-yamlls|.'
      )
    end
  end
end

local function check_clients()
  vim.health.start('The language server')
  local clients = vim.lsp.get_clients({ name = 'suitecase' })
  for _, client in ipairs(clients) do
    check_client(client)
  end
  if #clients == 0 then
    vim.health.warn('It does not run', {
      'Open a suite first: a file named `*.eval.yaml`.',
      'Where one is open, see what `:messages` and the file of `:lua =vim.lsp.get_log_path()` say.',
    })
  end
end

local function check_trust()
  vim.health.start('Running cases')
  local clients = vim.lsp.get_clients({ name = 'suitecase' })
  for _, client in ipairs(clients) do
    local said = (client.config.init_options or {}).trusted
    local trusted = said
    if trusted == nil then
      trusted = require('suitecase').trusted(client.root_dir)
    end
    local root = client.root_dir or 'files without a workspace'
    if trusted then
      vim.health.ok(('Trusted: %s. Cases are run when you ask for it'):format(root))
    else
      vim.health.warn(('Not trusted: %s. Cases are checked and not run'):format(root), {
        'Set `trusted` of vim.g.suitecase, then `:Suitecase restart`; see |suitecase-trust|.',
      })
    end
  end
  if #clients == 0 then
    vim.health.info('Nothing can be run while the language server does not')
  end
end

local function check_files()
  vim.health.start('Files')
  local filetype = vim.filetype.match({ filename = 'greet.eval.yaml' })
  local configured = vim.lsp.config.suitecase
  if filetype and configured and vim.list_contains(configured.filetypes or {}, filetype) then
    vim.health.ok(('`*.eval.yaml` has the filetype `%s`'):format(filetype))
  else
    vim.health.error(
      ('`*.eval.yaml` has the filetype `%s`, for which the server is not started'):format(filetype or ''),
      "Add it to `filetypes`: `vim.lsp.config('suitecase', { filetypes = { ... } })`."
    )
  end
end

function M.check()
  vim.health.start('Neovim')
  if vim.fn.has('nvim-0.11') == 0 then
    vim.health.error('Neovim 0.11 or newer is needed')
    return
  end
  vim.health.ok(tostring(vim.version()))
  check_program()
  check_files()
  check_clients()
  check_trust()
end

return M
