import { equal, match, ok, rejects } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Vault, vaults } from '../../../src/store.ts';
import { type Attack, attack, type Battery } from '../battery.ts';
import { CANARY_FORMS } from '../canary-forms.ts';
import {
  assertAbsent,
  MAIL,
  NAME,
  OPERATOR,
  OTHER_MAIL,
  PEM,
  PHONE,
  type Said,
  type SealingBench,
  sealingBench,
  TENANT,
} from '../sealing-bench.ts';

const LEA = { kind: 'local_operator', name: 'lea' } as const;

const erase = (bench: SealingBench): Promise<void> =>
  bench.runtime.vault.erase(TENANT, { credential: OPERATOR, reason: 'asked to be forgotten' });

/** The lines of the private key that a leak would show. */
const KEY_LINES = PEM.split('\n').filter((line) => line.length === 64);

/** Runs to the gate with these words of the tools, and requires that no trace holds a value in this form. */
async function assertHidden(said: Said, forms: readonly string[], inputs = {}, goal?: string): Promise<void> {
  const bench = sealingBench(said);
  try {
    const { runId } = await bench.greet(goal, inputs);
    equal(bench.found[0], MAIL);
    await erase(bench);
    assertAbsent(await bench.traces(runId), [MAIL, PHONE, ...KEY_LINES, ...forms]);
  } finally {
    await bench.close();
  }
}

const written = (form: string, text: string): string => CANARY_FORMS[form]?.(text) ?? text;

/** Parts of a written form that identify it. A form without a long part is compared as it is. */
const partsOf = (form: string): readonly string[] => form.match(/[^\s"']{24,}/g) ?? [form];

const repeatedByTools: Attack = {
  name: 'what tools say about sealed values and secrets, in every form that software writes',
  run: async ({ attempt }) => {
    for (const form of Object.keys(CANARY_FORMS)) {
      // The error of the last form holds a stack, which is no trace of the value.
      const isTrace = form !== 'as JSON in an error with a stack';
      await attempt(`${form}, in results and log lines`, async () => {
        const [mail, key, name] = [written(form, MAIL), written(form, PEM), written(form, NAME)];
        const said = { summary: `${mail} ${key} ${name}`, log: `${name} ${key} ${mail}`, listed: { note: mail } };
        await assertHidden(said, isTrace ? [mail, name].flatMap(partsOf) : []);
      });
    }
    for (const form of [
      'as it is',
      'in large letters',
      'as JSON in JSON',
      'as HTML',
      'as a printed Buffer',
      'in Base64',
    ]) {
      await attempt(`${form}, in an error`, async () => {
        const mail = written(form, MAIL);
        await assertHidden({ error: `550: ${mail} ${written(form, PEM)}` }, partsOf(mail));
      });
    }
    await attempt('as bytes in a document', () =>
      assertHidden(
        { summary: { data: [...Buffer.from(PEM)], mail: Object.fromEntries(Buffer.from(MAIL).entries()) } },
        [],
      ),
    );
    await attempt('as a key of a document that cannot be stored', () =>
      assertHidden({ summary: { [PHONE]: { [PEM]: 2 } } }, []),
    );
    await attempt('as a key of a document', () => assertHidden({ summary: { [MAIL]: 1, [PHONE]: { key: PEM } } }, []));
  },
};

/** The processor time of a run that seals so many values and gets one of them back. */
async function cpuAmong(count: number): Promise<number> {
  const list = Array.from({ length: count }, (_, at) => [`p${at}`, `person number ${at} of the list`] as const);
  const before = process.threadCpuUsage();
  await assertHidden({ contact: Object.fromEntries(list), listed: 'PERSON number 1,999 of the list' }, ['1,999']);
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}

const otherShapes: Attack = {
  name: 'a sealed value comes back in another shape',
  run: async ({ attempt }) => {
    const card = '4111 1111 1111 1111';
    const [phoneDigits, cardDigits] = [PHONE, card].map((text) => text.replace(/\D/g, ''));
    await attempt('the key of a sealed object, as a text', () =>
      assertHidden({ contact: { aliases: { [OTHER_MAIL]: 1 } }, listed: `also ${OTHER_MAIL}` }, [OTHER_MAIL]),
    );
    await attempt('the key of an object in a sealed list, as a key', () =>
      assertHidden({ contact: { aliases: [{ deep: { [OTHER_MAIL]: 1 } }] }, listed: { [OTHER_MAIL]: 2 } }, [
        OTHER_MAIL,
      ]),
    );
    await attempt('a phone with spaces, as a number', () =>
      assertHidden({ listed: { phone: Number(phoneDigits) } }, [String(phoneDigits)]),
    );
    await attempt('a card with spaces, as a number', () =>
      assertHidden({ contact: { card }, listed: [Number(cardDigits)] }, [card, String(cardDigits)]),
    );
    await attempt('among 8,000 sealed values, which take no more time each than 2,000', async () => {
      const [few, many] = [await cpuAmong(2_000), await cpuAmong(8_000)];
      ok(many < 9 * few, `${many / few} times the processor time of 2,000`);
    });
  },
};

const repeatedByRequesters: Attack = {
  name: 'a sealed input is repeated',
  run: async ({ attempt }) => {
    await attempt('in another input', () => assertHidden({}, [], { note: `Write to ${MAIL} today`, copy: MAIL }));
    await attempt('in another case', () => assertHidden({}, [], { note: MAIL.toUpperCase() }));
    await attempt('in Base64', () => {
      const encoded = Buffer.from(`to:${MAIL}`).toString('base64');
      return assertHidden({}, [encoded], { note: encoded });
    });
    await attempt('in the goal', () => assertHidden({}, [], {}, `Greet ${MAIL} and ${MAIL.toUpperCase()} please`));
    await attempt('in a nested input', () => assertHidden({}, [], { list: [{ deep: [MAIL] }] }));
    await attempt('as a key of an input', () => assertHidden({}, [], { people: { [MAIL]: 'customer' } }));
  },
};

/** A run at its gate, with what approves it. */
async function atGate(): Promise<{ bench: SealingBench; runId: string; gateId: string; packetHash: string }> {
  const bench = sealingBench();
  const { runId, pending } = await bench.greet();
  const [gate] = pending;
  if (gate === undefined) throw new Error('the run waits at no gate');
  return { bench, runId, gateId: gate.gateId, packetHash: gate.packetHash };
}

const byPeople: Attack = {
  name: 'people give personal values after the run has begun',
  run: async ({ attempt }) => {
    await attempt('through an edit, which still reaches the tool', async () => {
      const { bench, runId, gateId, packetHash } = await atGate();
      const parameters = { to: OTHER_MAIL, note: `Was ${MAIL.toUpperCase()}, is ${OTHER_MAIL}` };
      const edited = await bench.runtime.gates.edit(gateId, {
        packetHash,
        credential: LEA,
        reason: `not ${MAIL}`,
        parameters,
      });
      const [again] = edited.pending;
      if (again === undefined) throw new Error(edited.why.join(' '));
      const answer = { packetHash: again.packetHash, credential: LEA, reason: 'corrected' };
      await bench.runtime.approve(again.gateId, answer);
      equal(bench.sent[0]?.to, OTHER_MAIL);
      await erase(bench);
      assertAbsent(await bench.traces(runId), [MAIL, OTHER_MAIL, PHONE]);
      await bench.close();
    });
    await attempt('in the reason of a decision', async () => {
      const { bench, runId, gateId, packetHash } = await atGate();
      await bench.runtime.gates.reject(gateId, { packetHash, credential: LEA, reason: `${MAIL} has left` });
      assertAbsent(await bench.traces(runId), [MAIL]);
      await bench.close();
    });
    await attempt('in a question to the requester and its answer', async () => {
      const { bench, runId, gateId, packetHash } = await atGate();
      const asked = await bench.runtime.gates.requestInfo(gateId, {
        packetHash,
        credential: LEA,
        reason: `Is ${MAIL} right?`,
      });
      const sam = { kind: 'local_operator', name: 'sam' } as const;
      const text = `Yes, ${MAIL} and ${PHONE}`;
      await bench.runtime.gates.provideInfo(gateId, {
        packetHash: asked.pending[0]?.packetHash ?? packetHash,
        credential: sam,
        text,
      });
      assertAbsent(await bench.traces(runId), [MAIL, PHONE]);
      await bench.close();
    });
    await attempt('in the reason of a cancellation while the vault is not available', async () => {
      const { bench, runId } = await atGate();
      await bench.closeVault();
      await bench.runtime.sessions.cancel(runId, { credential: OPERATOR, reason: `${MAIL} asked us to stop` });
      equal((await bench.runtime.sessions.get(runId)).terminalCode, 'USER_CANCEL');
      assertAbsent(await bench.traces(runId), [MAIL]);
      await bench.close();
    });
    await attempt('in the reason of a cancellation', async () => {
      const { bench, runId } = await atGate();
      await bench.runtime.sessions.cancel(runId, { credential: OPERATOR, reason: `${MAIL} asked us to stop` });
      assertAbsent(await bench.traces(runId), [MAIL]);
      await bench.close();
    });
  },
};

const beyondTheRun: Attack = {
  name: 'people give personal values that are no words of a run',
  run: async ({ attempt, refuses }) => {
    await refuses(
      'as the name of who is asked',
      async () => {
        const { bench, gateId, packetHash } = await atGate();
        try {
          const asked = { packetHash, credential: LEA, reason: 'Is this right?', asks: MAIL };
          await bench.runtime.gates.requestInfo(gateId, asked);
        } finally {
          await bench.close();
        }
      },
      'input_invalid',
    );
    await attempt('in the reason of the erasure', async () => {
      const { bench, runId } = await atGate();
      const order = { credential: OPERATOR, reason: `${MAIL.toUpperCase()} and ${PHONE} asked to be forgotten` };
      await bench.runtime.sessions.cancel(runId, { credential: OPERATOR, reason: 'erased' });
      await bench.runtime.vault.erase(TENANT, order);
      match((await bench.runtime.vault.erasures(TENANT)).at(0)?.reason ?? '', / asked to be forgotten$/);
      assertAbsent(await bench.traces(runId), [MAIL, PHONE]);
      await bench.close();
    });
  },
};

const newFile = (): string => join(mkdtempSync(join(tmpdir(), 'ambit-vault-attack-')), 'vault.db');

function keyFile(): { readonly file: string } {
  const file = `${newFile()}.key`;
  writeFileSync(file, randomBytes(32).toString('base64'), { mode: 0o600 });
  return { file };
}

/** A closed vault with one value, and its master key. */
async function oneValue(): Promise<{ file: string; handle: string; masterKey: { readonly file: string } }> {
  const [file, masterKey] = [newFile(), keyFile()];
  const vault = vaults.inFile(file, { masterKey });
  const handle = await vault.seal(TENANT, JSON.stringify(MAIL));
  await vault.seal('tenant_b', '"other"');
  await vault.close();
  return { file, handle, masterKey };
}

const withVault = async (vault: Vault, use: (vault: Vault) => Promise<unknown>): Promise<void> => {
  try {
    await use(vault);
  } finally {
    await vault.close();
  }
};

const stolenVault: Attack = {
  name: 'a thief has the file of a vault',
  run: async ({ attempt, refuses }) => {
    await refuses(
      'and no key',
      () => vaults.inFile(newFile(), { masterKey: { env: 'AMBIT_NO_SUCH_KEY' } }),
      'input_missing',
    );
    await refuses(
      'and says that it is unprotected',
      async () => {
        const { file } = await oneValue();
        vaults.inFile(file, { unprotected: true });
      },
      'input_invalid',
    );
    await refuses(
      'and another key',
      async () => {
        const { file } = await oneValue();
        vaults.inFile(file, { masterKey: keyFile() });
      },
      'input_invalid',
    );
    await refuses('and another key under the same id', async () => {
      const { file, handle } = await oneValue();
      const db = new DatabaseSync(file);
      const id = String(db.prepare('select master from keys').get()?.['master']);
      db.close();
      const wrap = async (key: Uint8Array): Promise<Uint8Array> => key;
      const vault = vaults.inFile(file, { masterKey: { id, wrap, unwrap: wrap } });
      await vault.open(TENANT, handle);
    });
    await attempt('and reads every byte of it', async () => {
      const { file, masterKey } = await oneValue();
      const copy = newFile();
      copyFileSync(file, copy);
      await rejects(async () => vaults.inFile(copy));
      await withVault(vaults.inFile(copy, { masterKey }), async (vault) => equal((await vault.tenants()).length, 2));
    });
  },
};

const alteredVault: Attack = {
  name: 'an attacker writes into the file of a vault',
  run: async ({ attempt, refuses }) => {
    await refuses(
      'and puts the keys of one tenant under another',
      async () => {
        const { file, masterKey } = await oneValue();
        const db = new DatabaseSync(file);
        db.exec(
          `update keys set sealing = (select sealing from keys where tenant_id = '${TENANT}'), naming = (select naming from keys where tenant_id = '${TENANT}') where tenant_id = 'tenant_b'`,
        );
        db.close();
        await withVault(vaults.inFile(file, { masterKey }), (vault) => vault.seal('tenant_b', '"x"'));
      },
      'store_corrupt',
    );
    await refuses(
      'and puts a value of one tenant under another',
      async () => {
        const { file, handle, masterKey } = await oneValue();
        const db = new DatabaseSync(file);
        db.exec(`update sealed set tenant_id = 'tenant_b' where tenant_id = '${TENANT}'`);
        db.close();
        await withVault(vaults.inFile(file, { masterKey }), (vault) => vault.open('tenant_b', handle));
      },
      'store_corrupt',
    );
    await refuses(
      'and puts plain keys of its own into it',
      async () => {
        const { file, masterKey } = await oneValue();
        const db = new DatabaseSync(file);
        db.exec("update keys set master = '', sealing = zeroblob(32), naming = zeroblob(32)");
        db.close();
        vaults.inFile(file, { masterKey });
      },
      'input_invalid',
    );
    await attempt('of another user of the machine', async () => {
      const { file } = await oneValue();
      equal(statSync(file).mode & 0o077, 0);
    });
  },
};

export const sealing: Battery = {
  name: 'sealing',
  attacks: [
    repeatedByTools,
    otherShapes,
    repeatedByRequesters,
    byPeople,
    beyondTheRun,
    stolenVault,
    alteredVault,
    attack('a handle that the packet does not show is revealed at its gate', async () => {
      const { bench, gateId } = await atGate();
      const handle = await bench.runtime.vault.seal(gateId, OTHER_MAIL);
      equal(await bench.runtime.vault.reveal(gateId, handle, LEA).catch((error) => error.code), 'sealed_unknown');
      await bench.close();
    }),
  ],
};
