import type { Course } from './course.ts';
import { changeCourses } from './change-courses.ts';
import { endCourses } from './end-courses.ts';
import { limitCourses } from './limit-courses.ts';
import { sceneCourses, starterScenes } from './scene-courses.ts';
import { questionCourses } from './question-courses.ts';
import { starterCourses } from './starter-courses.ts';
import { troubleCourses } from './trouble-courses.ts';

/** All courses by what is unexpected in them, in the order in which they are played. */
export const courseGroups = {
  questions: questionCourses,
  ends: endCourses,
  limits: limitCourses,
  troubles: troubleCourses,
  changes: changeCourses,
  scenes: sceneCourses,
  starter: starterCourses,
  'starter-scenes': starterScenes,
} as const satisfies Readonly<Record<string, readonly Course[]>>;
