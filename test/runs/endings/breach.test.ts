/**
 * Tests that a suspected breach stops the run without touching credentials, and that a confirmed one revokes them once.
 */
import { describe, expect, test } from 'vitest';
import type { Detection, Detector } from '../../../src/critic/step/safety.ts';
import type { CredentialBroker, RevocationRequest } from '../../../src/ports/credentials.ts';
import { verifies } from '../../requirements/verifies.ts';
import { operator, planOf, type Rig, type RigOptions, rig } from '../rig.ts';
import { answered, eventsOf, proposed, turns } from './turns.ts';

const ID = 'escalate:security-breach:soc-revoke-only-confirmed';

interface Watched extends Rig {
  readonly revoked: readonly RevocationRequest[];
}

type Revoke = NonNullable<CredentialBroker['revoke']>;

function optionsWith(detection: Detection, broker: Partial<CredentialBroker>, onBreach: 'end' | 'hold'): RigOptions {
  const canary: Detector = {
    name: 'canary',
    version: '1',
    detect: ({ args }) => ('secret' in args ? detection : null),
  };
  return {
    tools: { send: {}, finish: { produces: ['done'] } },
    plans: [
      planOf([
        { id: 'a', tool: 'send', params: { secret: 'x' } },
        { id: 'b', tool: 'finish' },
      ]),
    ],
    options: { limits: { onBreach } },
    world: {
      policy: { detectors: [canary] },
      services: { credentials: { get: async () => ({ tenantId: 'tenant_a', values: {} }), ...broker } },
    },
  };
}

/** A run that sends a value the canary detector recognises. */
function watched(
  detection: Partial<Detection>,
  { revoke, onBreach = 'end' }: { readonly revoke?: Revoke | null; readonly onBreach?: 'end' | 'hold' } = {},
): Watched {
  const revoked: RevocationRequest[] = [];
  const noted: Revoke = async (request, signal) => {
    revoked.push(request);
    await revoke?.(request, signal);
  };
  const broker = revoke === null ? {} : { revoke: noted };
  const complete = { severity: 'high', detail: 'a key of ours is out', ...detection } as const;
  return { ...rig(optionsWith(complete, broker, onBreach)), revoked };
}

verifies(ID, 'suspected: stops, escalates to security, keeps the trace, and leaves credentials intact', async () => {
  const bench = watched({});
  const { runId, terminalCode } = await bench.invoke();
  const all = await bench.events(runId);
  expect(terminalCode).toBe('UNSAFE_DETECTION');
  expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['send']);
  expect(eventsOf(all, 'run_escalated')).toMatchObject([{ escalation: { severity: 'high', recipient: 'security' } }]);
  expect(bench.revoked).toEqual([]);
  expect(eventsOf(all, 'credentials_revoked')).toEqual([]);
  expect((await bench.runtime.records.transcripts(runId)).length).toBe(1);
});

verifies(ID, 'confirmed by a detector: revokes once before the run ends, and records it', async () => {
  const bench = watched({ compromised: true });
  const { runId, terminalCode } = await bench.invoke();
  const all = await bench.events(runId);
  expect(terminalCode).toBe('UNSAFE_DETECTION');
  expect(bench.revoked).toEqual([
    {
      revocationId: `rev_${runId}`,
      runId,
      tenantId: 'tenant_a',
      actor: 'agt_worker',
      tools: ['finish', 'send'],
      confirmedBy: 'canary: a key of ours is out',
    },
  ]);
  expect(eventsOf(all, 'credentials_revoked')).toMatchObject([{ outcome: 'revoked' }]);
  expect(all.map(({ type }) => type).slice(-2)).toEqual(['credentials_revoked', 'run_terminated']);
  expect(eventsOf(all, 'run_terminated')[0]?.detail).toMatchObject({ credentials: 'revoked' });
  await bench.runtime.records.replay(runId);
  expect(bench.revoked).toHaveLength(1);
});

describe('a run held for security', () => {
  const decide = (bench: Watched, runId: string, packetHash: string | null, more: object) =>
    bench.settle(
      bench.runtime.sessions.decideEscalation(runId, {
        decision: 'terminate',
        credential: operator('soc_1', ['security']),
        reason: 'looked at it',
        packetHash: packetHash ?? '',
        ...more,
      }),
    );

  verifies(ID, 'revokes credentials once if a person confirms, and leaves them otherwise', async () => {
    for (const compromised of [true, undefined] as const) {
      const bench = watched({}, { onBreach: 'hold' });
      const { runId, status, handoverHash } = await bench.invoke();
      expect(status).toBe('paused');
      expect(bench.revoked).toEqual([]);
      const ended = await decide(bench, runId, handoverHash, compromised === true ? { compromised } : {});
      expect(ended.terminalCode).toBe('UNSAFE_DETECTION');
      expect(bench.revoked.map(({ confirmedBy }) => confirmedBy)).toEqual(compromised === true ? ['soc_1'] : []);
      expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['send']);
    }
  });

  test.each(['continue', 'finalize'] as const)('rejects the decision to %s', async (decision) => {
    const bench = watched({}, { onBreach: 'hold' });
    const { runId, handoverHash } = await bench.invoke();
    await expect(decide(bench, runId, handoverHash, { decision })).rejects.toMatchObject({ code: 'permission_denied' });
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['send']);
  });
});

test('rejects `compromised` in the decision of any other escalation', async () => {
  const bench = rig({
    tools: { fail: { retries_max: 0, execute: () => Promise.reject(new Error('no')) } },
    plans: [{}, {}, {}],
  });
  const { runId, handoverHash } = await bench.invoke();
  const answer = {
    credential: operator('ana'),
    reason: 'x',
    packetHash: handoverHash ?? '',
    compromised: true,
  } as const;
  await expect(
    bench.settle(bench.runtime.sessions.decideEscalation(runId, { decision: 'terminate', ...answer })),
  ).rejects.toMatchObject({ code: 'input_invalid', path: '/compromised' });
});

test.each([
  ['cannot revoke', null, 'unsupported'],
  [
    'fails',
    async () => {
      throw new Error('the vault is sealed');
    },
    'failed',
  ],
  ['stalls', () => new Promise<void>(() => undefined), 'failed'],
] as const)(
  'a broker that %s does not keep the run from ending, and the ending says so',
  async (_what, revoke, outcome) => {
    const bench = watched({ compromised: true }, { revoke });
    const { runId, terminalCode } = await bench.invoke();
    const all = await bench.events(runId);
    expect(terminalCode).toBe('UNSAFE_DETECTION');
    expect(eventsOf(all, 'credentials_revoked')).toMatchObject([{ outcome }]);
    expect(eventsOf(all, 'run_terminated')[0]?.detail).toMatchObject({ credentials: outcome });
  },
);

describe('turn by turn', () => {
  const CERTAIN = { severity: 'high', detail: 'out', compromised: true } as const;
  const breached = () => {
    const run = turns(optionsWith(CERTAIN, {}, 'end'));
    const steps = [
      { id: 'a', tool: 'send', params: { secret: 'x' } },
      { id: 'b', tool: 'finish' },
    ];
    run.say(proposed(planOf(steps)));
    run.say(answered(run));
    return run;
  };

  test('a process that takes the run over repeats the revocation under the same id', () => {
    const run = breached();
    const wanted = run.outbox;
    expect(wanted).toMatchObject([{ kind: 'revoke_credentials', revocation_id: `rev_${run.state.id.runId}` }]);
    run.say({ type: 'run_reloaded', writer: 'other' });
    expect(run.outbox).toEqual(wanted);
    const revocation_id = `rev_${run.state.id.runId}`;
    expect(
      run.refusal({ type: 'credentials_revoked', revocation_id: 'rev_x', outcome: 'revoked', detail: '' }).code,
    ).toBe('event_illegal');
    run.say({ type: 'credentials_revoked', revocation_id, outcome: 'revoked', detail: '' });
    expect(run.state.ending.terminal?.code).toBe('UNSAFE_DETECTION');
  });

  test('ends as unanswered if the revocation times out', () => {
    const run = breached();
    run.say({ type: 'time_passed' }, 31_000);
    expect(run.state.ending.terminal?.detail).toMatchObject({ credentials: 'unanswered' });
  });

  test('rejects a revocation event that was not requested', () => {
    const run = turns(optionsWith(CERTAIN, {}, 'end'));
    const stray = { type: 'credentials_revoked', revocation_id: 'rev_1', outcome: 'revoked', detail: '' } as const;
    expect(run.refusal(stray).code).toBe('event_illegal');
  });
});
