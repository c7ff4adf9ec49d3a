import { type TestContext, type TestOptions, test } from 'vitest';
import { readCatalogue } from '../../scripts/requirements/catalogue.ts';
import type {} from '../../scripts/requirements/report.ts';
import { countMatchers } from './count-matchers.ts';

const KNOWN: ReadonlySet<string> = new Set(readCatalogue().map(({ id }) => id));

/**
 * A test that proves one or more requirements of test/requirements.jsonl.
 *
 * The citation counts only if the test runs, passes and runs at least one matcher, such as `toBe`, before it ends. A test
 * that cites a requirement and runs no matcher fails, and so does a test that cites an unknown id.
 */
export function verifies(
  ids: string | readonly string[],
  name: string,
  body: (context: TestContext) => unknown,
  options: TestOptions = {},
): void {
  const requirements = typeof ids === 'string' ? [ids] : [...ids];
  const title = `${name} [${requirements.join(', ')}]`;
  // The citation is part of the test before it runs, so the report also lists the tests that are skipped.
  test(title, { ...options, meta: { requirements } }, async (context) => {
    const unknown = requirements.filter((id) => !KNOWN.has(id));
    if (unknown.length > 0 || requirements.length === 0)
      throw new Error(`test/requirements.jsonl holds no requirement "${unknown.join('", "')}"`);
    const matchers = await countMatchers(title, () => body(context));
    context.task.meta.matchers = matchers;
    if (matchers === 0) throw new Error(`cites ${requirements.join(', ')} but runs no matcher, such as toBe`);
  });
}
