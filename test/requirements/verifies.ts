import { expect, type TestContext, type TestOptions, test } from 'vitest';
import { readCatalogue } from '../../scripts/requirements/catalogue.ts';
import type {} from '../../scripts/requirements/report.ts';

const KNOWN: ReadonlySet<string> = new Set(readCatalogue().map(({ id }) => id));

/**
 * A test that proves one or more requirements of test/requirements.jsonl.
 *
 * The citation counts only if the test runs, passes and makes at least one assertion with `expect`. A test that cites a
 * requirement without an assertion fails, and so does a test that cites an unknown id.
 */
export function verifies(
  ids: string | readonly string[],
  name: string,
  body: (context: TestContext) => unknown,
  options: TestOptions = {},
): void {
  const requirements = typeof ids === 'string' ? [ids] : [...ids];
  test(`${name} [${requirements.join(', ')}]`, options, async (context) => {
    context.task.meta.requirements = requirements;
    const unknown = requirements.filter((id) => !KNOWN.has(id));
    if (unknown.length > 0 || requirements.length === 0)
      throw new Error(`test/requirements.jsonl holds no requirement "${unknown.join('", "')}"`);
    await body(context);
    const assertions = expect.getState().assertionCalls + context.expect.getState().assertionCalls;
    context.task.meta.assertions = assertions;
    if (assertions === 0) throw new Error(`cites ${requirements.join(', ')} but asserts nothing`);
  });
}
