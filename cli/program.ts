import { Command, CommanderError, Option } from 'commander';
import { machineLocale } from '../electron/services/machine-locale.ts';
import { type Locale, locales } from '../shared/text/texts.ts';
import { type CliText, cliText } from './cli-texts.ts';
import type { CommandContext } from './command-context.ts';
import { createOutput, usageError } from './output.ts';

interface Common {
  readonly json?: boolean;
  readonly lang?: string;
}

/**
 * Runs one command line; resolves with its exit code. What a command needs is loaded by that command alone. Errors:
 * USAGE for a wrong command line, else what the command throws.
 */
export async function runProgram(args: readonly string[], appFolder: string, version: string): Promise<number> {
  const locale = wantedLocale(args);
  const text = (key: CliText) => cliText(locale, key);
  let exitCode = 0;

  const program = new Command('skill-sub')
    .description(text('about'))
    .version(version, '-V, --version', text('version'))
    .helpOption('-h, --help', text('help'))
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });

  /** A command with what all of them have; `work` resolves with the exit code. */
  function add<Options extends object>(
    name: string,
    key: CliText,
    work: (options: Options, context: CommandContext) => Promise<number>,
  ): Command {
    return program
      .command(name)
      .description(text(key))
      .helpOption('-h, --help', text('help'))
      .option('--json', text('json'))
      .option('--lang <lang>', text('lang'))
      .allowExcessArguments(false)
      .action(async (...given: unknown[]) => {
        const command = given.at(-1) as Command;
        const options = command.opts<Options & Common>();
        // `show NAME` means the same as `show --name NAME`.
        const named = command.registeredArguments.length > 0 ? { name: command.args[0] ?? optionName(options) } : {};
        const output = createOutput(locale, options.json ?? false);
        exitCode = await work({ ...options, ...named }, { appFolder, version, output });
      });
  }
  const addNamed = <Options extends object>(
    name: string,
    key: CliText,
    work: (options: Options & { name?: string | undefined }, context: CommandContext) => Promise<number>,
  ) => add(name, key, work).argument('[name]', text('name')).option('--name <name>', text('name'));

  const addOfRun = <Options extends object>(
    name: string,
    key: CliText,
    work: (options: Options & { run: string }, context: CommandContext) => Promise<number>,
  ) => {
    let run = '';
    return add<Options>(name, key, (options, context) => work({ ...options, run }, context))
      .argument('<run>', text('run_id'))
      .hook('preAction', (_program, command) => {
        run = command.args[0] ?? '';
      });
  };
  const onQuestion = () =>
    new Option('--on-question <answer>', text('run_on_question')).choices(['ask', 'retry', 'skip', 'abort']);

  add<{ tag?: string }>('list', 'list', async (options, context) =>
    (await import('./commands/list.ts')).list(options, context),
  ).option('--tag <tag>', text('list_tag'));
  addNamed('show', 'show', async (options, context) => (await import('./commands/show.ts')).show(options, context));
  addNamed('validate', 'validate', async (options, context) =>
    (await import('./commands/validate.ts')).validate(options, context),
  );
  addNamed<{ verbose?: boolean }>('plan', 'plan', async (options, context) =>
    (await import('./commands/plan.ts')).plan(options, context),
  ).option('-v, --verbose', text('plan_verbose'));
  addNamed<{ onQuestion?: string }>('run', 'run', async (options, context) =>
    (await import('./commands/run.ts')).run(options, context),
  )
    .addOption(onQuestion())
    .option('--input <text>', text('input'))
    .option('--inputs <json>', text('start_inputs'));
  addNamed<{ fail?: string[]; answer?: string[]; output?: string[] }>(
    'simulate',
    'simulate',
    async (options, context) => (await import('./commands/simulate.ts')).simulate(options, context),
  )
    .option('--fail <step:class>', text('simulate_fail'), collect)
    .option('--answer <step=answer>', text('simulate_answer'), collect)
    .option('--output <step=text>', text('simulate_output'), collect)
    .option('--input <text>', text('input'))
    .option('--inputs <json>', text('start_inputs'));
  addOfRun<{ inputs?: string; onQuestion?: string }>('resume', 'resume', async (options, context) =>
    (await import('./commands/resume.ts')).resume(options, context),
  )
    .addOption(onQuestion())
    .option('--inputs <json>', text('start_inputs'));
  addOfRun<{ question?: string; note?: string; answer?: string }>('answer', 'answer', async (options, context) =>
    (await import('./commands/answer.ts')).answer(options, context),
  )
    .option('--answer <answer>', text('answer'))
    .option('--question <id>', text('answer_question'))
    .option('--note <text>', text('answer_note'));
  addOfRun<{ force?: boolean }>('cancel', 'cancel', async (options, context) =>
    (await import('./commands/cancel.ts')).cancel(options, context),
  ).option('--force', text('cancel_force'));
  addOfRun<{ from?: string; only?: string; failed?: boolean; preview?: boolean; onQuestion?: string }>(
    'rerun',
    'rerun',
    async (options, context) => (await import('./commands/rerun.ts')).rerun(options, context),
  )
    .option('--from <step>', text('rerun_from'))
    .option('--only <step>', text('rerun_only'))
    .option('--failed', text('rerun_failed'))
    .option('--preview', text('rerun_preview'))
    .addOption(onQuestion())
    .option('--input <text>', text('input'))
    .option('--inputs <json>', text('start_inputs'));
  add<{ chain?: string; limit?: string }>('runs', 'runs', async (options, context) =>
    (await import('./commands/runs.ts')).runs(options, context),
  )
    .option('--chain <name>', text('runs_chain'))
    .option('--limit <number>', text('runs_limit'));
  add<{ getConfig?: boolean }>('settings', 'settings', async (options, context) =>
    (await import('./commands/settings.ts')).settings(options, context),
  ).option('--get-config', text('settings_get'));
  add<{ port?: string; open?: boolean }>('serve', 'serve', async (options, context) =>
    (await import('./commands/serve.ts')).serve(options, context),
  )
    .option('--port <port>', text('serve_port'))
    .option('--open', text('serve_open'));

  if (args.length === 0) {
    process.stdout.write(program.helpInformation());
    return 2;
  }
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    if (thrown.exitCode === 0) return 0;
    const [message = '', suggestion] = thrown.message.replace(/^error: /, '').split('\n');
    const names = /^\(Did you mean (.+)\?\)$/.exec(suggestion ?? '')?.[1];
    throw usageError(message, names === undefined ? undefined : cliText(locale, 'did_you_mean', { names }));
  }
}

function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

function optionName(options: object): string | undefined {
  return 'name' in options && typeof options.name === 'string' ? options.name : undefined;
}

/** Needed before the command line is parsed: the help is in this language too. */
function wantedLocale(args: readonly string[]): Locale {
  const at = args.findIndex((word) => word === '--lang' || word.startsWith('--lang='));
  if (at < 0) return machineLocale();
  const asked = args[at]?.includes('=') ? args[at]?.slice('--lang='.length) : args[at + 1];
  const locale = locales.find((one) => one === asked);
  if (locale === undefined) throw usageError(cliText(machineLocale(), 'lang_unknown', { lang: asked ?? '' }));
  return locale;
}
