-- What the plugin adds to Neovim's own client: lenses that follow the text, and verdicts beside it.

local lenses = require('suitecase.lenses')
local suites = require('suitecase.suites')
local verdicts = require('suitecase.verdicts')
local workspaces = require('suitecase.workspaces')

local M = {}

---@class suitecase.Options
---@field lenses? boolean Whether lenses to run stand beside suites and cases. Default: true.
---@field verdicts? boolean Whether verdicts stand beside cases and rubrics. Default: true.
---@field trusted? boolean|fun(root: string?): boolean Whether cases of a workspace may be run. Default: true.

--- The options of `vim.g.suitecase`, with the defaults of those that are not set.
---@return { lenses: boolean, verdicts: boolean, trusted: boolean|fun(root: string?): boolean }
function M.options()
  local said = vim.g.suitecase
  return vim.tbl_extend('force', { lenses = true, verdicts = true, trusted = true }, type(said) == 'table' and said or {})
end

--- Whether cases of the workspace in a folder may be run.
---@param root string?
---@return boolean
function M.trusted(root)
  local said = M.options().trusted
  if type(said) == 'function' then
    -- A function that fails does not allow anything.
    local fine, answer = pcall(said, root)
    if not fine then
      vim.notify(("suitecase: `trusted` of vim.g.suitecase failed, so no case is run: %s"):format(answer), vim.log.levels.ERROR)
    end
    return fine and answer == true
  end
  return said == true
end

--- What the server is told when it starts.
---@param said table? the initialization options that the person has configured; they come first
---@param root string? the folder of the workspace
---@return table
function M.initialization(said, root)
  local options = M.options()
  local ours = { testExplorer = true, trusted = M.trusted(root) }
  if options.verdicts then
    -- The same would stand there twice for whoever has inlay hints on.
    ours.inlayHints = { verdicts = false }
  end
  return vim.tbl_deep_extend('force', ours, said or {})
end

--- Say once what to do where the program that is configured is not there.
function M.tell_if_missing()
  local configured = vim.lsp.config.suitecase
  local command = configured and configured.cmd
  if type(command) == 'table' and vim.fn.executable(command[1]) == 0 then
    vim.notify_once(
      ('suitecase: `%s` is not there, so suites are neither checked nor run; see :checkhealth suitecase'):format(command[1]),
      vim.log.levels.WARN
    )
  end
end

--- Show lenses and verdicts in a buffer, from now on.
---@param client vim.lsp.Client
---@param buffer integer
function M.attach(client, buffer)
  local options = M.options()
  local group = vim.api.nvim_create_augroup(('suitecase.%d.%d'):format(client.id, buffer), {})
  local function follow()
    if options.lenses then
      lenses.refresh(buffer)
    end
    if options.verdicts then
      verdicts.text_changed(client, buffer)
    end
  end
  if options.lenses then
    lenses.attach(client, buffer, options.verdicts)
  end
  vim.api.nvim_create_autocmd({ 'BufEnter', 'InsertLeave', 'TextChanged' }, {
    group = group,
    buffer = buffer,
    callback = follow,
  })
  vim.api.nvim_create_autocmd('LspDetach', {
    group = group,
    buffer = buffer,
    callback = function(event)
      if event.data.client_id == client.id then
        verdicts.clear(buffer)
        pcall(vim.api.nvim_del_augroup_by_id, group)
      end
    end,
  })
  follow()
  if options.verdicts then
    verdicts.refresh(client, buffer)
  end
  workspaces.attach_others(client)
end

--- The results of a suite are others than before.
---@param result { uri: string }
---@param client_id integer
function M.results_changed(result, client_id)
  local client, buffer = suites.shown(client_id, result.uri)
  if not (client and buffer) then
    return
  end
  local options = M.options()
  if options.verdicts then
    verdicts.refresh(client, buffer)
  end
  if options.lenses then
    lenses.refresh(buffer)
  end
end

--- A case was begun, or is done.
---@param state suitecase.TestState
---@param client_id integer
function M.state_changed(state, client_id)
  local client, buffer = suites.shown(client_id, state.uri)
  if client and buffer and M.options().verdicts then
    verdicts.state_changed(client, buffer, state)
  end
end

return M
