/** Proves that the programs of the documentation run and print what their pages show. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT, snippets } from './markdown.ts';

test.each([
  ['docs/start/first-agent.md', 0],
  ['docs/start/first-agent.md', 1],
  ['docs/how-to/start-runs.md', 0],
  ['docs/how-to/conversations.md', 0],
  ['docs/how-to/structured-output.md', 0],
  ['docs/how-to/test-agents.md', 0],
])('the program of %s at place %i prints the output that its page shows', (path, place) => {
  const page = readFileSync(join(ROOT, path), 'utf8');
  const shown = [...page.matchAll(/^```text\n(?<text>.*?)^```$/gms)][place]?.groups?.['text'];
  expect(run(snippets(page)[place] ?? '')).toEqual({ stdout: shown, stderr: '' });
});

test('the program of the README runs', () => {
  const [code = ''] = snippets(readFileSync(join(ROOT, 'README.md'), 'utf8'));
  expect(run(code)).toEqual({
    stdout: 'awaiting_gate\ncompleted SUCCESS Order ord_881 is refunded.\n',
    stderr: '',
  });
});

/** Runs a program of a page in a folder of its own. */
function run(code: string): { readonly stdout: string; readonly stderr: string } {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-first-agent-'));
  try {
    const program = join(folder, 'first-agent.ts');
    const sources = {
      ambit: join(ROOT, 'src/index.ts'),
      'ambit/testing': join(ROOT, 'src/testing/index.ts'),
      zod: new URL(import.meta.resolve('zod')).pathname,
    };
    const linked = Object.entries(sources).reduce((text, [name, file]) => text.replace(`'${name}'`, `'${file}'`), code);
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(program, linked);
    const { stdout, stderr } = spawnSync(process.execPath, [program], { encoding: 'utf8' });
    return { stdout, stderr };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
