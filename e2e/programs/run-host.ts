import { chainOf, testHome } from '../../electron/services/runs/run-test-home.ts';

/**
 * For tests: a program of its own that starts a run in the data home `argv[2]`, says which, and lives until it is
 * ended. `argv[3]`: the steps as JSON.
 */
const [, , folder, steps] = process.argv;
const home = testHome(folder!);
await home.runs.recoverInterrupted();
home.writeChain('chain', chainOf('chain', JSON.parse(steps!)));
const { run_id } = await home.runs.start({ chain_name: 'chain' });
process.stdout.write(`${JSON.stringify({ run_id })}\n`);
const summary = await home.runs.waitForEnd(run_id);
await home.dispose();
process.stdout.write(`${JSON.stringify(summary)}\n`);
