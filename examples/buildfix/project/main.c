#include <stdio.h>

#include "average.h"

int main(void)
{
	int numbers[] = {2, 4, 9};
	printf("%.1f\n", average(numbers, 3));
	return 0;
}
