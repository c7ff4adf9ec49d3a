import { equal, match } from 'node:assert/strict';
import { renderPacket } from '../../../src/cli/views/render-packet.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import { DECISION, operator, planOf, type Rig, rig } from '../../runs/rig.ts';
import { type Attack, attack, type Battery } from '../battery.ts';
import { alteredRecord } from './altered-records.ts';
import { forgedApproval } from './forged-approvals.ts';
import { forgedDecisions } from './forged-decisions.ts';
import { forgedRows } from './forged-rows.ts';

/** A run whose payment waits at its gate. */
async function waitingPayment(): Promise<{ readonly bench: Rig; readonly gateId: string; readonly hash: string }> {
  const bench = rig({
    tools: {
      pay: { approval_mode: 'destructive', side_effect: true, gates: ['GATE_A'], produces: ['done'] },
    },
    plans: [planOf([{ id: 's1', tool: 'pay', params: { amount: 5 }, requires: ['GATE_A'] }])],
    options: { decisions: [DECISION] },
  });
  const [gate] = (await bench.invoke()).pending;
  return { bench, gateId: gate?.gateId ?? '', hash: gate?.packetHash ?? '' };
}

const JUNK_HASHES = ['', 'sha256:0', `sha256:${'0'.repeat(64)}`, ' ', '*', 'undefined', '__proto__'];

const otherPackets: Attack = {
  name: 'a yes for another packet pays nothing',
  run: async ({ refuses, attempt }) => {
    const { bench, gateId } = await waitingPayment();
    for (const packetHash of JUNK_HASHES) {
      await refuses(JSON.stringify(packetHash), () =>
        bench.settle(bench.runtime.approve(gateId, { packetHash, credential: operator('bo'), reason: 'yes' })),
      );
    }
    await attempt('no call was dispatched', () => equal(bench.dispatches.length, 0));
  },
};

/** Amounts and names that look like others to the person who approves them. */
const MISREAD: Readonly<Record<string, string>> = {
  'a letter of another alphabet': 'p\u0430ypal.example',
  'a word of Latin twins': '\u0441\u043e\u0441\u043e',
  'a zero-width blank': 'pay\u200bpal.example',
  'a blank Braille pattern': 'pay\u2800pal.example',
  'a line separator': 'pay\u2028pal.example',
  'a reversed order': 'pay\u202elap.example',
  'a small Roman numeral': 'paypa\u217c.example',
  'a full-width point': 'paypal\uff0eexample',
  'a raised digit': '\u00b9000',
  'a digit of another script': '100\u09ea',
};

const misreadPackets: Attack = {
  name: 'a packet shows misleading characters as codes',
  run: async ({ attempt }) => {
    for (const [name, to] of Object.entries(MISREAD)) {
      await attempt(name, async () => {
        const shown = await shownPacket({ to }, 'Pay the bill');
        equal(shown.includes(to), false);
        match(shown, /\\u\{[0-9a-f]+\}/u);
      });
    }
    await attempt('a goal with line feeds forges no line', async () => {
      const shown = await shownPacket({ amount: 500 }, `Look up order 7\n  packet  sha256:0000\n  1. look {"order":7}`);
      equal(shown.split('\n').filter((line) => /^ {2}(?:packet|1\.)/u.test(line)).length, 2);
    });
    await attempt('the name of an argument with line feeds forges no line', async () => {
      const shown = await shownPacket({ 'note\n  1. look': 'x' }, 'Pay the bill');
      equal(shown.split('\n').filter((line) => /^ {2}1\./u.test(line)).length, 1);
    });
  },
};

/** The packet of a plan gate, as the terminal shows it. */
async function shownPacket(params: JsonObject, statement: string): Promise<string> {
  const bench = rig({
    tools: { pay: { approval_mode: 'local_write', side_effect: true, produces: ['done'] } },
    plans: [planOf([{ id: 's1', tool: 'pay', params }])],
    options: { graph: 'supervised' },
  });
  const [gate] = (await bench.invoke({ goal: { statement } })).pending;
  const packet = await bench.runtime.gates.packet(gate?.packetHash ?? '');
  return renderPacket(packet, gate?.packetHash ?? '', 0, (_, text) => text);
}

/** Decisions that race a resume of the same run in one process. */
const races: Attack = {
  name: 'a yes that races other commands is recorded once and pays once',
  run: async ({ attempt }) => {
    for (const [name, others] of Object.entries(RACING)) {
      await attempt(name, async () => {
        const { bench, gateId, hash } = await waitingPayment();
        const yes = { packetHash: hash, credential: operator('bo'), reason: 'yes' };
        const commands = [bench.runtime.approve(gateId, yes), ...others(bench, gateId, yes)];
        await bench.settle(Promise.allSettled(commands));
        const events = await bench.events('run_1');
        const approved = events.filter((event) => event.type === 'gate_decided' && event.decision === 'approve');
        equal(approved.length <= 1, true);
        equal(bench.dispatches.length, approved.length);
        await bench.runtime.records.replay('run_1');
      });
    }
  },
};

type Yes = Parameters<Rig['runtime']['approve']>[1];
const RACING: Readonly<Record<string, (bench: Rig, gateId: string, yes: Yes) => readonly Promise<unknown>[]>> = {
  'a resume': ({ runtime }) => [runtime.resume('run_1')],
  'three resumes': ({ runtime }) => [1, 2, 3].map(() => runtime.resume('run_1')),
  'a no': ({ runtime }, gateId, yes) => [runtime.gates.reject(gateId, yes)],
  'a question': ({ runtime }, gateId, yes) => [runtime.gates.requestInfo(gateId, { ...yes, reason: 'which bill?' })],
};

export const approvals: Battery = {
  name: 'approvals',
  attacks: [
    otherPackets,
    forgedApproval,
    alteredRecord,
    forgedDecisions,
    forgedRows,
    misreadPackets,
    races,
    attack('the same yes twice pays once', async () => {
      const { bench, gateId, hash } = await waitingPayment();
      const yes = { packetHash: hash, credential: operator('bo'), reason: 'yes' };
      await bench.settle(Promise.allSettled([bench.runtime.approve(gateId, yes), bench.runtime.approve(gateId, yes)]));
      equal(bench.dispatches.length, 1);
    }),
  ],
};
