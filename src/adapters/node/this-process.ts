import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { ThisProcess } from '../../ports/journal/scheduler.ts';

/**
 * Identifies the machine, its last boot and the pid namespace. After a reboot or in another namespace, the same pid
 * belongs to another process.
 */
function thisMachine(): string {
  const parts = [hostname(), read(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())];
  return [...parts, read(() => readlinkSync('/proc/self/ns/pid'))].filter((part) => part !== '').join(' ');
}

function read(part: () => string): string {
  try {
    return part();
  } catch {
    return '';
  }
}

export function nodeProcess(): ThisProcess {
  const machine = thisMachine();
  return {
    machine,
    pid: process.pid,
    isGone: (driver) => {
      if (driver.machine !== machine) return false;
      try {
        process.kill(driver.pid, 0);
        return false;
      } catch (error) {
        return (error as NodeJS.ErrnoException).code === 'ESRCH';
      }
    },
  };
}
