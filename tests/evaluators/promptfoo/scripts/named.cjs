const fs = require("node:fs");
module.exports = {
  isShort: (output) => output.length < 5,
  share: async (output) => Math.min(output.length / 10, 1),
  nothing: () => undefined,
  raises: (output) => JSON.parse(`${output}!`),
  reads: (output, { vars }) => fs.existsSync(__filename) && vars.text === output,
};
