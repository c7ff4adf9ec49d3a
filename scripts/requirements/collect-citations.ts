import { fileURLToPath } from 'node:url';
import { createVitest } from 'vitest/node';
import { citationOf } from './citation-of.ts';
import type { Citation } from './report.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Loads every test file of both tiers, without running a test, and returns the citations of all tests. */
export async function collectCitations(): Promise<readonly Citation[]> {
  const vitest = await createVitest({ root: ROOT, watch: false, reporters: [] });
  try {
    const { testModules, unhandledErrors } = await vitest.collect([], { staticParse: false });
    const broken = [...unhandledErrors, ...testModules.flatMap((module) => module.errors())];
    if (broken.length > 0) throw new AggregateError(broken, 'a test file cannot be loaded');
    return testModules.flatMap((module) => [...module.children.allTests()]).flatMap(citationOf);
  } finally {
    await vitest.close();
  }
}
