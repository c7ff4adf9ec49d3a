import type { RunLabel } from '../../model/record/run-label.ts';

/** The labels of the store: what people judged about ended runs. They change no run. */
export interface RunLabels {
  /** Adds a label. Earlier labels of the run stay on record. */
  addLabel(label: RunLabel): Promise<void>;
  /** Returns labels in the order in which they were added; by default, those of every run. */
  labels(filter?: { readonly run?: string; readonly tenant?: string }): Promise<readonly RunLabel[]>;
}

/** Whether a label passes the filter of a listing. */
export const isListed = (
  { run_id, tenant_id }: RunLabel,
  { run, tenant }: NonNullable<Parameters<RunLabels['labels']>[0]>,
): boolean => (run === undefined || run_id === run) && (tenant === undefined || tenant_id === tenant);
