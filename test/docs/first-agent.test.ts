/** Proves that the first agent of the documentation runs and prints what its page shows. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT, snippets } from './markdown.ts';

test('the first agent prints the outcome that its page shows', () => {
  const page = readFileSync(join(ROOT, 'docs/start/first-agent.md'), 'utf8');
  const [code = ''] = snippets(page);
  const shown = /^```text\n(?<text>.*?)^```$/ms.exec(page)?.groups?.['text'];
  const folder = mkdtempSync(join(tmpdir(), 'ambit-first-agent-'));
  try {
    const program = join(folder, 'first-agent.ts');
    const zod = new URL(import.meta.resolve('zod')).pathname;
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(program, code.replace("'ambit'", `'${join(ROOT, 'src/index.ts')}'`).replace("'zod'", `'${zod}'`));
    const { stdout, stderr } = spawnSync(process.execPath, [program], { encoding: 'utf8' });
    expect({ stdout, stderr }).toEqual({ stdout: shown, stderr: '' });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
