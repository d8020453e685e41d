void rc_sqrt_placeholder(void);
