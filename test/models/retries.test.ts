/** Retries, the waits between them, and fallbacks. */
import { describe, expect, test } from 'vitest';
import { Fault } from '../../src/model/fault/fault.ts';
import type { Generated } from '../../src/ports/model/language-model.ts';
import { RETRY_POLICY } from '../../src/roles/client/retry.ts';
import { verifies } from '../requirements/verifies.ts';
import { answerWith, bench, profileOf, silence } from './model-client-bench.ts';

const failing = (code: ConstructorParameters<typeof Fault>[0], retryAfterMs = 0): Generated => ({
  ok: false,
  fault: new Fault(code, 'so it is'),
  retryAfterMs,
});

const EVENLY = { ...RETRY_POLICY, jitter: 0 };

verifies(
  'route:retry:four-attempts-doubling',
  'tries a model that always times out four times with doubling waits, then reports the timeout',
  async () => {
    const { model, ask, account } = bench(undefined, EVENLY);
    const slow = model('slow', silence);
    const timeoutMs = 1_000;
    const asked = await ask(profileOf(slow, { requestTimeoutMs: timeoutMs, retry: { baseMs: 300, jitter: 0 } }));
    expect(asked).toMatchObject({ ok: false, fault: { code: 'model_timeout' } });
    const waits = slow.askedAt.slice(1).map((at, place) => at - (slow.askedAt[place] ?? 0) - timeoutMs);
    expect(waits).toEqual([300, 600, 1_200]);
    expect(account().calls.map(({ attempt, outcome }) => [attempt, outcome])).toEqual([
      [1, 'timed_out'],
      [2, 'timed_out'],
      [3, 'timed_out'],
      [4, 'timed_out'],
    ]);
  },
);

verifies(
  'route:error:retriable-classes',
  'connection errors and timeouts are RETRIABLE, with a user message, and are retried',
  async () => {
    const { model, ask, account } = bench();
    const torn = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    const unsteady = model('unsteady', async (turn) => {
      if (turn === 1) throw torn;
      if (turn === 2) throw new DOMException('it took too long', 'TimeoutError');
      if (turn === 3) throw new TypeError('fetch failed', { cause: torn });
      return answerWith('at last');
    });
    expect(await ask(profileOf(unsteady))).toMatchObject({ ok: true, text: 'at last' });
    expect(account().calls.map(({ failure }) => failure)).toEqual([
      {
        code: 'model_unreachable',
        severity: 'RETRIABLE',
        user_message: 'The model service cannot be reached at the moment.',
      },
      { code: 'model_timeout', severity: 'RETRIABLE', user_message: 'The model service did not answer in time.' },
      expect.objectContaining({ code: 'model_unreachable', severity: 'RETRIABLE' }),
      undefined,
    ]);
  },
);

verifies(
  'route:error:critical-classes',
  'value and type errors are CRITICAL, with a user message, and are not retried',
  async () => {
    const errors = [
      new TypeError('schema.type is not a string'),
      new RangeError('too far'),
      new Error('no such field'),
    ];
    for (const error of errors) {
      const { model, ask, account } = bench();
      const strict = model('strict', async () => {
        throw error;
      });
      const asked = await ask(profileOf(strict));
      expect(strict.askedAt).toHaveLength(1);
      const words = 'The model service did not understand the request, or its answer cannot be used.';
      expect(account().calls).toMatchObject([{ failure: { severity: 'CRITICAL', user_message: words } }]);
      expect(asked).toMatchObject({ ok: false, fault: { message: `${words} (${error.message})` } });
    }
  },
);

describe('retries', () => {
  test('sends no request once the caller has aborted', async () => {
    const { model, ask, stop, account } = bench();
    const never = model('never', async () => answerWith('x'));
    stop.abort();
    expect(await ask(profileOf(never))).toMatchObject({ ok: false, fault: { code: 'model_timeout' } });
    expect([never.askedAt, account().calls]).toEqual([[], []]);
  });

  test.for(['model_rejected', 'model_misconfigured'] as const)('does not retry %s', async (code) => {
    const { model, ask } = bench();
    const wrong = model('wrong', async () => failing(code));
    expect(await ask(profileOf(wrong))).toMatchObject({ ok: false, fault: { code } });
    expect(wrong.askedAt).toHaveLength(1);
  });

  test('a refusal is an answer: no retry and no fallback', async () => {
    const { model, ask, account } = bench();
    const shy = model('shy', async () => ({
      ok: true,
      answer: { text: 'No.', finish: 'refusal', usage: null, model: 'shy' },
    }));
    const other = model('other', async () => answerWith('Sure.'));
    const asked = await ask(profileOf(shy, { fallbacks: [other] }));
    expect(asked).toMatchObject({ ok: false, fault: { code: 'model_refused' } });
    expect([shy.askedAt.length, other.askedAt.length]).toEqual([1, 0]);
    expect(account().calls).toMatchObject([{ outcome: 'refused', response: expect.any(String) }]);
  });

  test('jitter lengthens a wait by at most its share, and repeatably', async () => {
    const times = async (): Promise<readonly number[]> => {
      const { model, ask } = bench();
      const busy = model('busy', async () => failing('model_overloaded'));
      await ask(profileOf(busy, { retry: { baseMs: 1_000, jitter: 0.5 } }));
      return busy.askedAt;
    };
    const first = await times();
    expect(await times()).toEqual(first);
    const waits = first.slice(1).map((at, place) => at - (first[place] ?? 0));
    for (const [place, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(1_000 * 2 ** place);
      expect(wait).toBeLessThanOrEqual(1_500 * 2 ** place);
    }
  });

  test('waits as long as the provider asks, up to a limit, and then uses a fallback', async () => {
    const { model, ask } = bench(undefined, EVENLY);
    const busy = model('busy', async (turn) => (turn === 1 ? failing('model_overloaded', 9_000) : answerWith('now')));
    expect(await ask(profileOf(busy))).toMatchObject({ ok: true });
    expect(busy.askedAt).toEqual([0, 9_000]);
    const closed = model('closed', async () => failing('model_overloaded', 3_600_000));
    const other = model('other', async () => answerWith('here'));
    expect(await ask(profileOf(closed, { fallbacks: [other] }))).toMatchObject({ ok: true, text: 'here' });
    expect(closed.askedAt).toHaveLength(1);
  });

  test('an abort ends the wait, and no fallback is tried', async () => {
    const { model, ask, stop, account } = bench();
    const other = model('other', async () => answerWith('too late'));
    const busy = model('busy', async () => {
      stop.abort();
      return failing('model_overloaded');
    });
    expect(await ask(profileOf(busy, { fallbacks: [other] }))).toMatchObject({ ok: false });
    expect([busy.askedAt.length, other.askedAt.length]).toEqual([1, 0]);
    expect(account().calls).toHaveLength(1);
  });
});

describe('fallbacks', () => {
  test('are tried in order with their own retries, and the record names the model that answered', async () => {
    const { model, ask, account } = bench();
    const [down, wrong, third] = [
      model('a/down', async () => failing('model_unreachable')),
      model('b/wrong', async () => failing('model_rejected')),
      model('c/third', async () => answerWith('mine', { input_tokens: 5, output_tokens: 1 })),
    ];
    expect(await ask(profileOf(down, { fallbacks: [wrong, third] }))).toMatchObject({ ok: true, text: 'mine' });
    expect(account().calls.map(({ model: id, attempt, outcome }) => `${attempt} ${id} ${outcome}`)).toEqual([
      '1 a/down failed',
      '2 a/down failed',
      '3 a/down failed',
      '4 a/down failed',
      '5 b/wrong failed',
      '6 said-1 answered',
    ]);
  });

  test('that all fail report the last failure', async () => {
    const { model, ask } = bench();
    const down = model('down', async () => failing('model_unreachable'));
    const wrong = model('wrong', async () => failing('model_misconfigured'));
    expect(await ask(profileOf(down, { fallbacks: [wrong] }))).toMatchObject({
      ok: false,
      fault: { code: 'model_misconfigured', message: 'The model is not set up correctly. (so it is)' },
    });
  });
});
