/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entitle_families - small configurations of KAI's queues, all there are within some bounds
 *
 * Each has a number, so a part of a family, or one drawn at random, is as easily made as all.  Names
 * and ages say who is who, and both count somewhere, so none is left out as a mirror image of
 * another.
 */
#ifndef FL_TESTS_PROVE_ENTITLE_FAMILIES_H
#define FL_TESTS_PROVE_ENTITLE_FAMILIES_H

#include "prove/entitle_config.h"

struct entitle_family {
	const char *name;
	uint8_t machines, machine_gpus;                 /* so many, each of 1 to so many GPUs */
	uint8_t tops, leaves_each;                      /* leaves_each 0: the tops are the leaves */
	uint8_t deserved, weight, queue_priority, used; /* of each: 0 to so much; weight 0: all 1 */
	uint8_t gangs, gpus, priority;                  /* gpus of a pod: 1 to so many */
	uint8_t pods;                                   /* 1 to so many */
	bool elastic;                                   /* minima from 1 to all; else all */
	uint8_t k;
};

extern const struct entitle_family entitle_families[];
extern const unsigned entitle_n_families;

/* 0: so many that they have no numbers. */
uint64_t entitle_family_size(const struct entitle_family *f);
/* Number @n of them, n < size. */
void entitle_family_make(const struct entitle_family *f, uint64_t n, struct entitle_config *ret);
/* One drawn at random: the same for the same seed. */
void entitle_family_draw(const struct entitle_family *f, uint64_t seed, struct entitle_config *ret);

#endif
