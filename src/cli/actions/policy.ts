import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Authorizer, Fault } from '../../index.ts';
import { AdvisedFault } from '../advised-fault.ts';
import { type Action, listOf, numberOf } from '../command.ts';
import { exitOf } from '../exit-codes.ts';
import { printed, printedJson } from '../terminal/printed.ts';
import { counted } from '../views/counted.ts';
import { withRuntime, word } from './with-runtime.ts';

/** Reads the policies of a folder or a file, or those that ship with this package. */
export async function authorizerOf(
  paths: readonly string[],
): Promise<{ readonly authorizer: Authorizer; readonly files: readonly string[] }> {
  const { cedarAuthorizer, policyFile, policyFiles, shippedPolicies } = await cedar();
  const sources =
    paths.length === 0
      ? shippedPolicies()
      : paths.flatMap((path) => (isFolder(path) ? policyFiles(resolve(path)) : [policyFile(resolve(path))]));
  return { authorizer: cedarAuthorizer(sources), files: sources.map(({ file }) => file) };
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** The engine is a peer: whoever writes no policies does not install it. */
async function cedar(): Promise<typeof import('../../adapters/cedar/index.ts')> {
  try {
    return await import('../../adapters/cedar/index.ts');
  } catch (error) {
    const message =
      'policies are read by @cedar-policy/cedar-wasm, which is not installed: npm install @cedar-policy/cedar-wasm';
    throw new Fault('dependency_unavailable', message, { cause: error });
  }
}

/** Policies that cannot be used are what was looked for, so that is an answer. */
export const checkPolicy: Action = async ({ terminal, words }) => {
  const paths = words['path'] === undefined ? [] : [words['path']];
  try {
    const { authorizer, files } = await authorizerOf(paths);
    terminal.show(
      { ok: true, files, version: authorizer.version, problems: [] },
      () =>
        `${terminal.paint('good', '✓')} ${files.join(', ')}: every policy can be read and can apply; version ${authorizer.version}`,
    );
    return exitOf('done');
  } catch (error) {
    if (!Fault.is(error) || error.code !== 'policy_invalid') throw error;
    const problems = error.message.split('\n');
    terminal.show({ ok: false, files: null, version: null, problems }, () =>
      problems.map((problem) => `${terminal.paint('bad', '✗')} ${problem}`).join('\n'),
    );
    return exitOf('found');
  }
};

/** What other policies would have ruled otherwise, in one run or in all of them. */
export const shadowPolicy: Action = (call) =>
  withRuntime(call, async ({ runtime, config }) => {
    const { terminal, flags } = call;
    const paths = listOf(flags, 'policies');
    const { authorizer } = await authorizerOf(paths);
    const limit = numberOf(flags, 'limit') ?? 100;
    const named = word(call, 'session');
    const runs = named === '' ? (await runtime.sessions({ limit })).map(({ runId }) => runId) : [named];
    let differences = 0;
    const unseen: string[] = [];
    const ruled = async (session: string): ReturnType<typeof runtime.shadow> => {
      try {
        return await runtime.shadow(session, authorizer);
      } catch (error) {
        if (Fault.is(error) && error.code === 'input_invalid' && config.world?.policy?.calls === undefined)
          throw nothingToCompare(error, session, paths);
        // Of many, one that is pruned or damaged does not keep anybody from the others.
        if (named !== '' || !Fault.is(error) || error.code === 'input_invalid') throw error;
        unseen.push(`${session} cannot be looked at: ${error.message}`);
        return [];
      }
    };
    for (const session of runs) {
      for (const difference of await ruled(session)) {
        differences += 1;
        const { active, candidate, request } = difference;
        terminal.stream({ session, ...difference }, () =>
          [
            `${session}  ${active.effect} ${terminal.paint('strong', '→')} ${terminal.paint(candidate.effect === 'permit' ? 'good' : 'bad', candidate.effect)}`,
            `  ${printedJson(request)}`,
            `  because ${[...candidate.determining, ...candidate.reasons].join('; ')}`,
          ].join('\n'),
        );
      }
    }
    for (const why of unseen) terminal.note((paint) => `${paint('waits', '!')} ${printed(why)}`);
    terminal.note(
      () =>
        `${counted(runs.length - unseen.length, 'session')} looked at, ${counted(differences, 'call')} would be ruled otherwise`,
    );
    return exitOf(differences === 0 ? 'done' : 'found');
  });

/** Other policies can be held against every session, but compared only with policies that it was decided by. */
function nothingToCompare(cause: Fault, session: string, paths: readonly string[]): AdvisedFault {
  const policies = paths.length === 0 ? ['<path>'] : paths;
  const fix = `ambit replay ${session} ${policies.map((path) => `--policies ${path}`).join(' ')}`;
  return new AdvisedFault(cause.code, 'the config has no policies about calls to compare with', { fix, cause });
}
