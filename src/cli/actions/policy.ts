import { Fault } from '../../index.ts';
import { CliFault } from '../cli-fault.ts';
import { type Action, argument, getExitCode, readListFlag, readNumberFlag } from '../command.ts';
import { loadAuthorizer } from '../shared/load-authorizer.ts';
import { withRuntime } from '../shared/with-runtime.ts';
import { escapeJson, escapeText } from '../terminal/escape.ts';
import { formatCount } from '../views/format.ts';

/** Checks policies. An invalid policy is a result (exit 1), not an error. */
export const checkPolicyAction: Action = async ({ terminal, args }) => {
  const paths = args['path'] === undefined ? [] : [args['path']];
  try {
    const { authorizer, files } = await loadAuthorizer(paths);
    terminal.show(
      { ok: true, files, version: authorizer.version, problems: [] },
      () => `${terminal.paint('good', '✓')} ${files.join(', ')}: all policies are valid; version ${authorizer.version}`,
    );
    return getExitCode('done');
  } catch (error) {
    if (!Fault.is(error) || error.code !== 'policy_invalid') throw error;
    const problems = error.message.split('\n');
    terminal.show({ ok: false, files: null, version: null, problems }, () =>
      problems.map((problem) => `${terminal.paint('bad', '✗')} ${problem}`).join('\n'),
    );
    return getExitCode('found');
  }
};

/** Evaluates candidate policies on recorded calls of one session or of many. */
export const shadowPolicyAction: Action = (call) =>
  withRuntime(call, async ({ runtime, config, terminal, flags }) => {
    const paths = readListFlag(flags, 'policies');
    const { authorizer } = await loadAuthorizer(paths);
    const limit = readNumberFlag(flags, 'limit') ?? 100;
    const only = argument(call, 'session');
    const runs = only === '' ? (await runtime.sessions.list({ limit })).map(({ runId }) => runId) : [only];
    let differences = 0;
    const skipped: string[] = [];
    const compare = async (session: string): ReturnType<typeof runtime.records.shadow> => {
      try {
        return await runtime.records.shadow(session, authorizer);
      } catch (error) {
        if (Fault.is(error) && error.code === 'input_invalid' && config.world?.policy?.calls === undefined)
          throw explainMissingPolicy(error, session, paths);
        // One pruned or damaged session must not hide the others.
        if (only !== '' || !Fault.is(error) || error.code === 'input_invalid') throw error;
        skipped.push(`skipped ${session}: ${error.message}`);
        return [];
      }
    };
    for (const session of runs) {
      for (const difference of await compare(session)) {
        differences += 1;
        const { active, candidate, request } = difference;
        terminal.stream({ session, ...difference }, () =>
          [
            `${session}  ${active.effect} ${terminal.paint('strong', '→')} ${terminal.paint(candidate.effect === 'permit' ? 'good' : 'bad', candidate.effect)}`,
            `  ${escapeJson(request)}`,
            `  because ${[...candidate.determining, ...candidate.reasons].join('; ')}`,
          ].join('\n'),
        );
      }
    }
    for (const why of skipped) terminal.note((paint) => `${paint('warning', '!')} ${escapeText(why)}`);
    terminal.note(
      () =>
        `checked ${formatCount(runs.length - skipped.length, 'session')}; ${formatCount(differences, 'call')} would be decided differently`,
    );
    return getExitCode(differences === 0 ? 'done' : 'found');
  });

/** Points to `replay`, which needs no policies in the config to compare with. */
function explainMissingPolicy(cause: Fault, session: string, paths: readonly string[]): CliFault {
  const policies = paths.length === 0 ? ['<path>'] : paths;
  const fix = `ambit replay ${session} ${policies.map((path) => `--policies ${path}`).join(' ')}`;
  return new CliFault(cause.code, 'the config has no call policies to compare with', { fix, cause });
}
