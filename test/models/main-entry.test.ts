/** The main entry loads only the package's dependencies, so an agent without a model needs no SDK. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { TOP_ENTRIES } from '../../scripts/house/plan.ts';

const ROOT = new URL('../../', import.meta.url).pathname;

/** Every package that a file imports, directly or through other files, without type-only imports. */
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

test.for([...TOP_ENTRIES, 'src/testing/index.ts'])('%s loads no SDK', (entry) => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const loaded = [...packagesFrom(entry)].map((name) => name.split('/')[0]);
  expect(loaded.filter((name) => !Object.hasOwn(manifest.dependencies, name ?? ''))).toEqual([]);
});

test('the AI SDK adapter loads the SDK', () => {
  expect(packagesFrom('src/adapters/ai-sdk/index.ts')).toContain('ai');
});
