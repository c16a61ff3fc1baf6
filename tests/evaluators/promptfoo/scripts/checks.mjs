export default (output, context) => ({
  pass: output.length >= (context.config?.least ?? 1),
  score: 0.25,
  reason: `${output.length} of ${context.vars.text.length}`,
  namedScores: { length: output.length },
});
