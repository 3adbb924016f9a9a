// flaky.mjs <failures> <code>: reports ERROR:<code> that many times and works from then on. It counts in the folder
// that is kept across the tries of a step.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [failures = '1', code = 'network_error'] = process.argv.slice(2);
const file = join(process.env.SKILL_SUB_STEP_FOLDER ?? '.', 'tries.txt');
const tries = (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0) + 1;
writeFileSync(file, String(tries));
if (tries <= Number(failures)) {
  console.error(`ERROR:${code}: try ${tries} does not work`);
  console.error('HINT: try again');
  process.exit(1);
}
console.log(JSON.stringify({ tries, env_try: process.env.SKILL_SUB_TRY }));
