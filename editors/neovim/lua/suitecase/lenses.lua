-- Lenses: Neovim shows them only when it is asked to, and is asked here whenever the text or the results have changed.

local M = {}

local METHOD = vim.lsp.protocol.Methods.textDocument_codeLens

--- Have lenses in a buffer from now on.
---@param client vim.lsp.Client
---@param buffer integer
---@param verdicts_beside boolean whether verdicts are shown by other means, so that lenses need not have them
function M.attach(client, buffer, verdicts_beside)
  if verdicts_beside and not rawget(client, 'suitecase_lenses') then
    rawset(client, 'suitecase_lenses', true)
    local request = client.request
    client.request = function(self, method, params, handler, ...)
      if method == METHOD and handler then
        local shown = handler
        handler = function(trouble, found, ...)
          return shown(trouble, M.without_verdicts(found), ...)
        end
      end
      return request(self, method, params, handler, ...)
    end
  end
  if vim.lsp.codelens.enable then -- Neovim 0.12
    vim.lsp.codelens.enable(true, { bufnr = buffer })
  end
end

--- Show the lenses of a buffer as they are now.
---@param buffer integer
function M.refresh(buffer)
  if not vim.lsp.codelens.enable then
    vim.lsp.codelens.refresh({ bufnr = buffer })
  end
end

--- Lenses without those that show a verdict, and open its log.
---@param found lsp.CodeLens[]?
---@return lsp.CodeLens[]?
function M.without_verdicts(found)
  return found and vim.tbl_filter(function(lens)
    return not (lens.command and lens.command.command == 'suitecase.openLog')
  end, found)
end

return M
