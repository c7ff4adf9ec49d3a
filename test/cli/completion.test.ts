import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { printCompletionAction } from '../../src/cli/actions/completion.ts';
import { COMMANDS } from '../../src/cli/commands/table.ts';
import { findCandidates } from '../../src/cli/shared/find-candidates.ts';

const find = (...typed: readonly string[]) => findCandidates(COMMANDS, typed);

test('completes commands and the commands of a group', () => {
  expect(find('')).toMatchObject({ words: expect.arrayContaining(['run', 'gates', 'doctor']) });
  expect(find('gates', '')).toMatchObject({ words: expect.arrayContaining(['list', 'approve']) });
  expect(find('nothing', '')).toEqual({ words: [] });
});

test('completes ids, choices and files', () => {
  expect(find('gates', 'approve', '')).toEqual({ kind: 'gate' });
  expect(find('replay', '')).toEqual({ kind: 'session' });
  expect(find('run', '')).toEqual({ kind: 'agent' });
  expect(find('diff', 'run_a', '')).toEqual({ kind: 'session' });
  expect(find('graph', '--format', '')).toEqual({ words: ['text', 'mermaid', 'dot'] });
  expect(find('sessions', 'decide', 'run_a', '')).toEqual({ words: ['continue', 'finalize', 'terminate'] });
  expect(find('gates', 'approve', '--key', '')).toEqual({ kind: 'file' });
});

test('completes options and does not count option values as arguments', () => {
  expect(find('run', '--')).toMatchObject({ words: expect.arrayContaining(['--goal', '--json']) });
  expect(find('run', '--goal', 'x', '')).toEqual({ kind: 'agent' });
  expect(find('run', 'support', '')).toMatchObject({ words: expect.arrayContaining(['--goal']) });
});

test('the bash script offers matching candidates', async () => {
  let script = '';
  const terminal = { show: (_: unknown, text: () => string) => (script = text()) };
  await printCompletionAction({
    args: { shell: 'bash' },
    flags: {},
    terminal,
    configFile: null,
  } as unknown as Parameters<typeof printCompletionAction>[0]);
  // A stub of the program. It answers only if the script passes the right words.
  const program = `ambit() { [ "$1-$2-$3-$#" = "__complete-gates-sh-3" ] && printf 'show\\nshelve\\nlist\\n'; }`;
  const typed = `COMP_WORDS=(ambit gates sh); COMP_CWORD=2; _ambit; echo "\${COMPREPLY[*]}"`;
  const { stdout, status } = spawnSync('bash', ['-c', [program, script, typed].join('\n')], { encoding: 'utf8' });
  expect(status).toBe(0);
  expect(stdout.trim()).toBe('show shelve');
});
