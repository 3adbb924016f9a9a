import type { Job } from '../../shared/action/manifest.ts';
import { api } from '../api/client.ts';
import { createLoadedStore } from './list-store.ts';

/** The jobs that are still kept, newest first. */
export const useJobs = createLoadedStore<Job[]>(() => api.jobs.list());

/** Puts a job that changed into the list without reading the list again. */
export function noteJob(job: Job): void {
  const { value } = useJobs.getState();
  if (value === null) return;
  const known = value.some((other) => other.id === job.id);
  useJobs.setState({ value: known ? value.map((other) => (other.id === job.id ? job : other)) : [job, ...value] });
}
