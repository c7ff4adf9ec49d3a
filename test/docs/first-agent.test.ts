/** Proves that the programs of the documentation run and print what their pages show. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT, snippets } from './markdown.ts';

test.each(['docs/start/first-agent.md', 'docs/how-to/start-runs.md', 'docs/how-to/structured-output.md'])(
  'the program of %s prints the output that its page shows',
  (path) => {
    const page = readFileSync(join(ROOT, path), 'utf8');
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
  },
);
