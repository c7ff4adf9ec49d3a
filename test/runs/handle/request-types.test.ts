/** A wrong request does not compile. */
import { expectTypeOf, test } from 'vitest';
import type { Ambit, Identity, RunHandle, RunOutcome, RunRequest, StartRequest } from '../../../src/index.ts';
import type { WatchedEvent } from '../../../src/records.ts';

type Start = Ambit['start'];

test('a request has one message and one user, and nothing that the runtime does not read', () => {
  const identity: Identity = { actor: 'ada', tenant_id: 'shop', roles: [], scopes: [], expires_at: 1 };
  const user = { name: 'ada', tenant: 'shop' };
  const requests = (start: Start): readonly RunHandle[] => [
    start({ message: 'Hello', user }),
    start('support', { message: 'Hello', user: { ...user, roles: ['clerk'] }, inputs: { id: 1 } }),
    start({ goal: { statement: 'Hello' }, identity }, { signal: new AbortController().signal }),
    start({ message: 'Hello', user, thread: 'th_1' }),
    // @ts-expect-error: a thread is named by its id
    start({ message: 'Hello', user, thread: 1 }),
    // @ts-expect-error: a message is missing
    start({ user }),
    // @ts-expect-error: a user is missing
    start({ message: 'Hello' }),
    // @ts-expect-error: goal is another name of message
    start({ message: 'Hello', goal: 'Hello', user }),
    // @ts-expect-error: identity is another name of user
    start({ message: 'Hello', user, identity }),
    // @ts-expect-error: a tenant is missing
    start({ message: 'Hello', user: { name: 'ada' } }),
    // @ts-expect-error: there is no option of this name
    start({ message: 'Hello', user, input: { id: 1 } }),
    // @ts-expect-error: inputs are JSON
    start({ message: 'Hello', user, inputs: { id: () => 1 } }),
    // @ts-expect-error: the name of the agent comes first
    start({ message: 'Hello', user }, 'support'),
  ];
  expectTypeOf(requests).parameter(0).toEqualTypeOf<Start>();
});

test('invoke accepts the full envelope too, and returns the settled promise of start', () => {
  expectTypeOf<RunHandle['settled']>().toEqualTypeOf<Promise<RunOutcome>>();
  expectTypeOf<RunHandle['events']>().toEqualTypeOf<AsyncIterable<WatchedEvent>>();
  expectTypeOf<RunHandle['text']>().toEqualTypeOf<AsyncIterable<string>>();
  expectTypeOf<Ambit['invoke']>().toBeCallableWith({} as RunRequest);
  expectTypeOf<Ambit['invoke']>().toBeCallableWith({} as StartRequest);
  expectTypeOf<Ambit['invoke']>().returns.toEqualTypeOf<Promise<RunOutcome>>();
});
