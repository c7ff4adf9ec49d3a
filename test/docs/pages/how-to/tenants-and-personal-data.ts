import { equal } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { ambit } from '../../../../src/index.ts';
import type { PageFixture } from '../../page.ts';
import { ADA, boundary, QUESTION, step, written } from '../parts.ts';

export const run: PageFixture = async ({ load }) => {
  const { runtimeFor } = await load(1);
  const shared = ambit({ agent: written() });
  const expires_at = Date.now() + 60_000;
  const eve = { actor: 'eve', tenant_id: 'tenant_rival', roles: [], scopes: [], expires_at };
  const { runId } = await shared.invoke(QUESTION);
  const refused: { code?: string } = await runtimeFor(shared, eve)
    .sessions.get(runId)
    .catch((error: object) => error);
  equal(refused.code, 'permission_denied');

  process.env['AMBIT_VAULT_KEY'] = randomBytes(32).toString('base64');
  const { find, runtime } = await load(2);
  const email = 'ada@example.com';
  const clerk = written(
    { tools: [find], boundary: boundary(['crm.find']), settings: { sealedInputs: ['/email'] } as never },
    [step('crm.find', { email: { $slot: 'email' } })],
  );
  const sealing = runtime(clerk);
  const outcome = await sealing.invoke({ message: 'Find the customer', user: ADA, inputs: { email } });
  const stored = JSON.stringify(await sealing.records.frames(outcome.runId));
  equal(stored.includes(email) || stored.includes('7946'), false);
  equal(outcome.terminalCode, 'SUCCESS', JSON.stringify(outcome));
  await sealing.close();
};
