/** An untrusted value needs approval or is rejected before it reaches a sensitive argument, by any path. */
import { describe, expect, test } from 'vitest';
import { operator, planOf } from '../rig.ts';
import { AFTER_READING, fromMail, MODE, mailbox, packetAt, READ } from './bench.ts';

const FROM_MAIL = fromMail('/from');

describe('through a binding', () => {
  const plan = planOf([
    READ,
    { ...AFTER_READING, id: 'b', tool: 'send', requires: MODE, params: { to: FROM_MAIL, text: 'Hello' } },
  ]);

  test('the packet shows its source, and the call is sent after approval', async () => {
    const bench = mailbox([plan]);
    const { pending } = await bench.invoke({ goal: { statement: 'Say "Hello" to whoever wrote to me' } });
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['mail']);
    const [gate] = pending;
    if (gate === undefined) throw new Error('no gate');
    expect((await packetAt(bench, gate.packetHash)).provenance).toEqual({
      '/to': { source: 'mail', trusted: false },
      '/text': { source: 'ambit:request', trusted: true },
    });
    const { gateId, packetHash } = gate;
    const done = await bench.settle(
      bench.runtime.approve(gateId, { packetHash, credential: operator('lead_1'), reason: 'seen' }),
    );
    expect(done.terminalCode).toBe('SUCCESS');
  });

  test('a boundary that refuses it names the argument and the source', async () => {
    const bench = mailbox([plan], { tools: { untrusted_arguments: 'refused' } });
    const { runId, terminalCode, reason } = await bench.invoke();
    expect({ terminalCode, reason }).toEqual({ terminalCode: 'PERMISSION_DENIED', reason: 'untrusted_argument' });
    expect((await bench.events(runId)).find(({ type }) => type === 'step_refused')).toMatchObject({
      layer: 'risk',
      code: 'untrusted_argument',
      message:
        "/to of send may not come from mail, which is not trusted: set untrusted_arguments: 'shown' in the boundary, so that a person decides",
    });
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['mail']);
  });

  test('a clean plan may copy untrusted text within the workspace', async () => {
    const copying = planOf([READ, { ...AFTER_READING, id: 'b', tool: 'note', params: { text: fromMail('/text') } }]);
    for (const untrusted_arguments of ['shown', 'refused'] as const) {
      const bench = mailbox([copying], { tools: { untrusted_arguments } });
      expect((await bench.invoke()).terminalCode).toBe('SUCCESS');
    }
  });
});

describe('an argument that its tool declares sensitive', () => {
  const fetching = planOf([
    READ,
    { ...AFTER_READING, id: 'b', tool: 'fetch', params: { url: { host: FROM_MAIL }, depth: 1 } },
  ]);
  const tools = { fetch: { produces: ['done'], hazards: { sensitive: ['/url'] } } };

  test('is guarded even for a read, because a read can leak data', async () => {
    const bench = mailbox([fetching], {}, { tools });
    const { pending } = await bench.invoke();
    expect(pending.map(({ name }) => name)).toEqual(['GATE_PROVENANCE_APPROVAL']);
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['mail']);
  });

  test('is guarded behind a dispatcher', async () => {
    const params = { tool: 'fetch', args: { url: { host: FROM_MAIL }, depth: 1 } };
    const via = { unwrap: { tool: '/tool', args: '/args' } };
    const bench = mailbox(
      [planOf([READ, { ...AFTER_READING, id: 'b', tool: 'via', params }])],
      {},
      { tools: { ...tools, via } },
    );
    const { pending } = await bench.invoke();
    expect(pending.map(({ name }) => name)).toEqual(['GATE_PROVENANCE_APPROVAL']);
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['mail']);
  });

  test('is guarded alone: other arguments are free', async () => {
    const bench = mailbox([fetching], {}, { tools: { fetch: { ...tools.fetch, hazards: { sensitive: ['/depth'] } } } });
    expect((await bench.invoke()).terminalCode).toBe('SUCCESS');
  });
});

test('output of a trusted tool from untrusted input is untrusted', async () => {
  const bench = mailbox([
    planOf([
      READ,
      { ...AFTER_READING, id: 'up', tool: 'upper', params: { text: fromMail('/text') } },
      { id: 'b', tool: 'send', depends_on: ['up'], requires: MODE, params: { text: { $from: 'up', path: '/text' } } },
    ]),
  ]);
  const { pending } = await bench.invoke();
  const packet = await packetAt(bench, pending[0]?.packetHash ?? '');
  expect(packet.provenance).toEqual({ '/text': { source: 'upper', trusted: false } });
});

test('output of a trusted tool is trusted, and a schema default comes from its author', async () => {
  const input_schema = { type: 'object', properties: { to: {}, priority: { default: 'normal' } } };
  const send = { approval_mode: 'network', side_effect: true, produces: ['done'], input_schema } as const;
  const bench = mailbox(
    [
      planOf([
        { id: 'c', tool: 'contacts' },
        { id: 'b', tool: 'send', depends_on: ['c'], requires: MODE, params: { to: { $from: 'c', path: '/address' } } },
      ]),
    ],
    { tools: { request_grants: 'none' } },
    { tools: { send } },
  );
  const { pending } = await bench.invoke();
  expect((await packetAt(bench, pending[0]?.packetHash ?? '')).provenance).toEqual({
    '/to': { source: 'contacts', trusted: true },
    '/priority': { source: 'ambit:default', trusted: true },
  });
});
