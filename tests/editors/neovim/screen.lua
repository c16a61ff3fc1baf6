-- What Neovim shows in the current buffer, for the scripts of sessions.

local M = {}

---@return integer # the number of the first line that contains the text; 0 if there is none
function M.line_of(text)
  return vim.fn.search('\\V' .. text, 'nw')
end

--- The virtual text on the line that contains the text, from left to right.
---@return string
function M.beside(text)
  local row, chunks = M.line_of(text) - 1, {}
  local marks = vim.api.nvim_buf_get_extmarks(0, -1, { row, 0 }, { row, -1 }, { details = true })
  table.sort(marks, function(a, b)
    return a[4].priority < b[4].priority
  end)
  for _, mark in ipairs(marks) do
    for _, chunk in ipairs(mark[4].virt_text or {}) do
      table.insert(chunks, chunk[1])
    end
  end
  return table.concat(chunks, ' ')
end

return M
