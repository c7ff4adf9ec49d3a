import { Fault } from '../../model/fault/fault.ts';
import { labelDecision } from '../../model/gate/recorded-decision.ts';
import { signingText } from '../../model/gate/signing-text.ts';
import { Statement } from '../../model/json/name.ts';
import { parse, parseAt } from '../../model/json/parse.ts';
import { LabelFields, type RunLabel } from '../../model/record/run-label.ts';
import { type Approvers, Credential } from '../../ports/approvers.ts';
import type { Clock, Ids } from '../../ports/clock.ts';
import type { Journal } from '../../ports/journal/journal.ts';
import type { ProofCheck, Proofs } from '../../ports/proofs.ts';
import { copyInput, readUntrusted, requireId } from '../../session/read-input.ts';

/** A label to attach, and the person who gives it. */
export interface LabelOrder {
  readonly fields: LabelFields;
  readonly reason: string;
  readonly credential: Credential;
}

/** The labels of recorded runs. A label changes no run; metrics and evaluations read it. */
export interface LabelActions {
  /** Records what a person judged about an ended run. A later label replaces the fields that it sets. */
  label(runId: string, order: LabelOrder): Promise<RunLabel>;
  /** The labels of a run, or of every run, in the order in which they were given. */
  labels(runId?: string): Promise<readonly RunLabel[]>;
}

export interface LabelDeps {
  readonly journal: Journal;
  readonly approvers: Approvers;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Absent if decisions are not signed. */
  readonly proofs?: Proofs;
}

export function createLabels({ journal, approvers, clock, ids }: LabelDeps): LabelActions {
  return {
    label: async (runId, order) => {
      const { fields, reason, credential } = readOrder(order);
      const [row] = await journal.list({ session: requireId(runId), limit: 1 });
      if (row === undefined) throw new Fault('session_not_found', `there is no session ${runId}`);
      const { session_id: run_id, tenant_id, started_at: since, terminal_code } = row;
      if (terminal_code === null) throw new Fault('event_illegal', `${run_id} has not ended: label it when it has`);
      const found = await approvers.establish({
        text: (key_id, signed_at) => signingText.label({ run_id, fields, reason, key_id, signed_at }),
        credential,
        tenantId: tenant_id,
        since,
      });
      if (!found.ok) throw new Fault(found.code, found.message);
      const { approver: by, proof } = found;
      if (proof.tenant_id !== tenant_id)
        throw new Fault('permission_denied', `${by} decides for another tenant than ${tenant_id}`);
      const label: RunLabel = {
        label_id: ids.next('label'),
        run_id,
        tenant_id,
        fields,
        by,
        reason,
        at: clock.nowMs(),
        proof,
      };
      await journal.addLabel(label);
      return label;
    },
    labels: async (runId) => await journal.labels(runId === undefined ? {} : { run: requireId(runId) }),
  };
}

function readOrder(order: LabelOrder): LabelOrder {
  const { fields, reason, credential } = readUntrusted(() => copyInput(order));
  return {
    fields: parseAt('/fields', LabelFields, fields, 'input_invalid'),
    reason: parse(Statement, reason, 'input_invalid'),
    credential: parse(Credential, credential, 'input_invalid'),
  };
}

/** The labels that count, joined by run, and the number of those that nothing proves. */
export interface CountedLabels {
  readonly byRun: ReadonlyMap<string, LabelFields>;
  readonly unproven: number;
}

/** Where a tenant has keys, a label counts only with a valid signature. A later label replaces the fields that it sets. */
export async function countedLabels(
  { journal, proofs }: Pick<LabelDeps, 'journal' | 'proofs'>,
  tenant: string | undefined,
): Promise<CountedLabels> {
  const checks = new Map<string, ProofCheck | null>();
  const byRun = new Map<string, LabelFields>();
  let unproven = 0;
  for (const label of await journal.labels(tenant === undefined ? {} : { tenant })) {
    const { tenant_id, run_id, fields } = label;
    if (!checks.has(tenant_id)) checks.set(tenant_id, (await proofs?.checkFor(tenant_id)) ?? null);
    if ((checks.get(tenant_id)?.(labelDecision(label)) ?? null) === null)
      byRun.set(run_id, { ...byRun.get(run_id), ...fields });
    else unproven += 1;
  }
  return { byRun, unproven };
}
