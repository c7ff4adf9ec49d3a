/** Proves that a shell offers what can stand there: the table decides for words, the store for ids. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { completion } from '../../src/cli/actions/completion.ts';
import { candidatesFor } from '../../src/cli/candidates.ts';
import { COMMANDS } from '../../src/cli/commands/table.ts';

const offered = (...typed: readonly string[]) => candidatesFor(COMMANDS, typed);

test('commands, then what belongs to a group', () => {
  expect(offered('')).toMatchObject({ words: expect.arrayContaining(['run', 'gates', 'doctor']) });
  expect(offered('gates', '')).toMatchObject({ words: expect.arrayContaining(['list', 'approve']) });
  expect(offered('nothing', '')).toEqual({ words: [] });
});

test('ids, choices and files where a command takes them', () => {
  expect(offered('gates', 'approve', '')).toEqual({ kind: 'gate' });
  expect(offered('replay', '')).toEqual({ kind: 'session' });
  expect(offered('run', '')).toEqual({ kind: 'agent' });
  expect(offered('diff', 'run_a', '')).toEqual({ kind: 'session' });
  expect(offered('graph', '--format', '')).toEqual({ words: ['text', 'mermaid', 'dot'] });
  expect(offered('sessions', 'decide', 'run_a', '')).toEqual({ words: ['continue', 'finalize', 'terminate'] });
  expect(offered('gates', 'approve', '--key', '')).toEqual({ kind: 'file' });
});

test('options, and no second word for a value', () => {
  expect(offered('run', '--')).toMatchObject({ words: expect.arrayContaining(['--goal', '--json']) });
  expect(offered('run', '--goal', 'x', '')).toEqual({ kind: 'agent' });
  expect(offered('run', 'support', '')).toMatchObject({ words: expect.arrayContaining(['--goal']) });
});

test('the script of bash offers what the command says and fits what was typed', async () => {
  let script = '';
  const terminal = { show: (_: unknown, words: () => string) => (script = words()) };
  await completion({ words: { shell: 'bash' }, flags: {}, terminal, configFile: null } as unknown as Parameters<
    typeof completion
  >[0]);
  // In the place of the program: it offers three words, and only if it is asked as it should be.
  const program = `ambit() { [ "$1-$2-$3-$#" = "__complete-gates-sh-3" ] && printf 'show\\nshelve\\nlist\\n'; }`;
  const typed = `COMP_WORDS=(ambit gates sh); COMP_CWORD=2; _ambit; echo "\${COMPREPLY[*]}"`;
  const { stdout, status } = spawnSync('bash', ['-c', [program, script, typed].join('\n')], { encoding: 'utf8' });
  expect(status).toBe(0);
  expect(stdout.trim()).toBe('show shelve');
});
