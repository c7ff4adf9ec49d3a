import type { Driver, Drivers } from '../../ports/drivers.ts';
import type { MemoryDisk } from './disk.ts';

export function memoryDrivers(open: () => MemoryDisk): Drivers {
  return {
    announce: async (driver) => {
      open().drivers.set(driver.writer, Object.freeze({ ...driver }));
    },
    leave: async (writer) => {
      open().drivers.delete(writer);
    },
    drivers: async (): Promise<readonly Driver[]> => [...open().drivers.values()],
  };
}
