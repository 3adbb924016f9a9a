// fail.mjs <status> <line>...: prints the lines to standard error and exits with the status.
const [status = '1', ...lines] = process.argv.slice(2);
for (const line of lines) console.error(line);
process.exitCode = Number(status);
