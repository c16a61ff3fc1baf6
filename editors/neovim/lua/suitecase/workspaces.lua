-- For which buffers the server runs, and in which folder.

local M = {}

local MARKERS = { { '.suitecase', 'suitecase.toml', '.agentv' }, '.git' }
--- What lies here the server wrote itself.
local WRITTEN = '/%.suitecase/editor/'

--- Whether the server is worth starting for a buffer alone. Any YAML may be a suite; of JSON, the evals
--- of an Agent Skill and a configuration of promptfoo are; a text is a prompt, and JSON Lines are a data
--- set, only beside suites.
local function may_be_suite(buffer, root)
  local name = vim.fs.normalize(vim.api.nvim_buf_get_name(buffer))
  return vim.bo[buffer].filetype:match('^yaml') ~= nil
    or name:match('/evals/evals%.json$') ~= nil
    or name:match('/promptfooconfig[^/]*%.json$') ~= nil
    or vim.iter(MARKERS[1]):any(function(it)
      return vim.uv.fs_stat(vim.fs.joinpath(root, it)) ~= nil
    end)
end

--- Say in which folder the server runs for a buffer, or nothing where it is not to be started.
---@param buffer integer
---@param start fun(root: string)
function M.root_dir(buffer, start)
  local name = vim.fs.normalize(vim.api.nvim_buf_get_name(buffer))
  if name:match(WRITTEN) then
    return
  end
  -- Without a workspace the folder of the suite is one, as on the command line.
  local root = vim.fs.root(buffer, MARKERS) or vim.fs.dirname(name)
  local runs = vim.iter(vim.lsp.get_clients({ name = 'suitecase' })):any(function(it)
    return it.root_dir == root
  end)
  if runs or may_be_suite(buffer, root) then
    start(root)
  end
end

--- Attach a client to the texts and data sets of its workspace that were opened before it ran.
---@param client vim.lsp.Client
function M.attach_others(client)
  local root = client.root_dir
  for _, buffer in ipairs(root and vim.api.nvim_list_bufs() or {}) do
    local listed = vim.list_contains(client.config.filetypes or {}, vim.bo[buffer].filetype)
    local attached = client.attached_buffers[buffer]
    if listed and not attached and vim.api.nvim_buf_is_loaded(buffer) and vim.bo[buffer].buftype == '' then
      M.root_dir(buffer, function(its)
        if its == root then
          vim.lsp.buf_attach_client(buffer, client.id)
        end
      end)
    end
  end
end

return M
