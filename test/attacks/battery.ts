/** Standing attacks: a battery is a list of named attacks, and an attack makes one or more attempts. */
import { Fault } from '../../src/index.ts';

/** Counts the attempts of one attack. */
export interface Attempts {
  /** One attempt. It is held if `work` resolves and broken if it throws, so assertions state what must hold. */
  readonly attempt: (name: string, work: () => unknown) => Promise<void>;
  /** One attempt that must be refused with a fault, of this code if one is named. */
  readonly refuses: (name: string, work: () => unknown, code?: string) => Promise<void>;
}

export interface Attack {
  readonly name: string;
  readonly run: (attempts: Attempts) => Promise<void> | void;
}

export interface Battery {
  readonly name: string;
  readonly attacks: readonly Attack[];
}

/** An attack that is one attempt. */
export const attack = (name: string, work: () => unknown): Attack => ({
  name,
  run: ({ attempt }) => attempt('', work),
});

export interface BatteryResult {
  readonly attempts: number;
  readonly held: number;
  /** The broken attempts, such as `lanes: a cancelled run pays: after the yes`, with the reason. */
  readonly broken: readonly { readonly attack: string; readonly why: string }[];
  /** The refusals that were raw errors instead of faults. */
  readonly non_fault_errors: number;
}

/** Runs the attacks of a battery one after the other. */
export async function runBattery(battery: Battery): Promise<BatteryResult> {
  const broken: { attack: string; why: string }[] = [];
  let attempts = 0;
  let raw = 0;
  const trying = async (names: readonly string[], work: () => unknown): Promise<void> => {
    attempts += 1;
    try {
      await work();
    } catch (error) {
      broken.push({ attack: [battery.name, ...names].filter((name) => name !== '').join(': '), why: String(error) });
    }
  };
  const requireFault = async (work: () => unknown, code: string | undefined): Promise<void> => {
    const error = await rejectionOf(work);
    if (!Fault.is(error)) {
      raw += 1;
      throw error;
    }
    if (code !== undefined && error.code !== code) throw new Error(`expected ${code}, got ${error.code}`);
  };
  for (const { name, run } of battery.attacks) {
    try {
      await run({
        attempt: (label, work) => trying([name, label], work),
        refuses: (label, work, code) => trying([name, label], () => requireFault(work, code)),
      });
    } catch (error) {
      await trying([name], () => Promise.reject(error));
    }
  }
  return { attempts, held: attempts - broken.length, broken, non_fault_errors: raw };
}

/** Runs `work` and returns its error. Throws if there is none. */
async function rejectionOf(work: () => unknown): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error('it was accepted');
}
