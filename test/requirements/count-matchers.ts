import { AsyncLocalStorage } from 'node:async_hooks';
import { chai } from 'vitest';

/** The matchers of one test: how many have run, and whether its body has ended. */
interface Count {
  readonly test: string;
  matchers: number;
  hasEnded: boolean;
}

const current = new AsyncLocalStorage<Count>();

/** Every matcher is a method of this prototype, such as `toBe`. A call of `expect` alone runs none of them. */
const { prototype } = chai.Assertion;
for (const name of Object.getOwnPropertyNames(prototype).filter((key) => /^to[A-Z]/.test(key)))
  chai.util.overwriteMethod(prototype, name, (matcher: Matcher) => counting(name, matcher));

type Matcher = (this: unknown, ...args: unknown[]) => unknown;

function counting(name: string, matcher: Matcher): Matcher {
  return function (this: unknown, ...args: unknown[]): unknown {
    const count = current.getStore();
    if (count?.hasEnded === true)
      throw new Error(`${name} ran after the body of "${count.test}" had ended; await the promise that leads to it`);
    if (count !== undefined) count.matchers += 1;
    return matcher.apply(this, args);
  };
}

/** Runs the body of a test and returns the number of matchers that ran. A matcher that runs later throws. */
export async function countMatchers(test: string, body: () => unknown): Promise<number> {
  const count: Count = { test, matchers: 0, hasEnded: false };
  try {
    await current.run(count, body);
  } finally {
    count.hasEnded = true;
  }
  return count.matchers;
}
