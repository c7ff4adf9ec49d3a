/** Whoever has no model installs no SDK: what the main entry loads is what the package depends on. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = new URL('../../', import.meta.url).pathname;

/** Every package that a file leads to, itself or through other files. Imports of types lead nowhere. */
function packagesFrom(entry: string): ReadonlySet<string> {
  const packages = new Set<string>();
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const code = readFileSync(file, 'utf8');
    for (const { groups } of code.matchAll(/^(?:import|export) (?!type )[^;]*?from '(?<from>[^']+)';/gms)) {
      const from = groups?.['from'] ?? '';
      if (from.startsWith('.')) visit(join(dirname(file), from));
      else if (!from.startsWith('node:')) packages.add(from);
    }
  };
  visit(join(ROOT, entry));
  return packages;
}

test.for(['src/index.ts', 'src/testing/index.ts'])('%s loads no SDK', (entry) => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const loaded = [...packagesFrom(entry)].map((name) => name.split('/')[0]);
  expect(loaded.filter((name) => !Object.hasOwn(manifest.dependencies, name ?? ''))).toEqual([]);
});

test('the door to the AI SDK is the one that loads it', () => {
  expect(packagesFrom('src/adapters/ai-sdk/index.ts')).toContain('ai');
});
